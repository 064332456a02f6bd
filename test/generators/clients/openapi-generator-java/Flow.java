import java.util.LinkedHashMap;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.AccountApi;
import org.openapitools.client.api.PaymentsApi;
import org.openapitools.client.api.QuotesApi;
import org.openapitools.client.model.ErrorEnvelope;
import org.openapitools.client.model.Payment;
import org.openapitools.client.model.PaymentRequest;
import org.openapitools.client.model.QuoteRequest;
import org.openapitools.client.model.Transaction;

public class Flow {
    public static void main(String[] args) throws Exception {
        ApiClient client = new ApiClient();
        client.setBasePath(System.getenv("BASE_URL"));
        client.setBearerToken(System.getenv("API_KEY"));
        PaymentsApi payments = new PaymentsApi(client);

        double quoted = new QuotesApi(client)
                .createQuote(new QuoteRequest().fromCurrency("USD").toCurrency("EUR").amount(1234567.89))
                .getData().getReceiveAmount();

        PaymentRequest body = new PaymentRequest()
                .fromCurrency("USD").toCurrency("EUR").amount(1234567.89)
                .beneficiaryName("Acme Supplies Ltd").purpose("INV-2026-0042");
        Payment payment = payments.createPayment(body, null).getData();
        for (int reads = 0; reads < 100 && !"completed".equals(payment.getStatus().toString()); reads++) {
            Thread.sleep(50);
            payment = payments.getPayment(payment.getId()).getData();
        }

        String id = payment.getId();
        Transaction debit = new AccountApi(client).listTransactions(1, 20, "completed", "payment")
                .getData().getTransactions().stream().filter(each -> id.equals(each.getPaymentId())).findFirst().get();

        String error = "none";
        try {
            payments.createPayment(body, null);
        } catch (ApiException exception) {
            error = JSON.getGson().fromJson(exception.getResponseBody(), ErrorEnvelope.class).getError().getType();
        }

        Map<String, Object> report = new LinkedHashMap<>();
        report.put("quoted", quoted);
        report.put("id", id);
        report.put("status", payment.getStatus().toString());
        report.put("beneficiary", payment.getBeneficiary().getName());
        report.put("bank", payment.getBeneficiary().getBank());
        report.put("amount", debit.getAmount());
        report.put("balance", debit.getBalanceAfter());
        report.put("error", error);
        System.out.println(JSON.getGson().newBuilder().serializeNulls().create().toJson(report));
    }
}
