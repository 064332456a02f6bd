import com.squareup.moshi.Moshi
import org.openapitools.client.apis.AccountApi
import org.openapitools.client.apis.PaymentsApi
import org.openapitools.client.apis.QuotesApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.models.ErrorEnvelope
import org.openapitools.client.models.PaymentRequest
import org.openapitools.client.models.QuoteRequest

fun main() {
    val baseUrl = System.getenv("BASE_URL")
    ApiClient.accessToken = System.getenv("API_KEY")
    val payments = PaymentsApi(baseUrl)
    val amount = 1234567.89

    val quoted = QuotesApi(baseUrl).createQuote(QuoteRequest("USD", "EUR", amount)).data.receiveAmount

    val body = PaymentRequest("USD", "EUR", amount, "Acme Supplies Ltd", purpose = "INV-2026-0042")
    var payment = payments.createPayment(body).data
    repeat(100) {
        if (payment.status != "completed") {
            Thread.sleep(50)
            payment = payments.getPayment(payment.id).data
        }
    }

    val page = AccountApi(baseUrl).listTransactions(status = "completed", type = "payment").data
    val debit = page.transactions.first { it.paymentId == payment.id }

    val error = try {
        payments.createPayment(body)
        "none"
    } catch (failure: ClientException) {
        val text = (failure.response as ClientError<*>).body as String
        Serializer.moshi.adapter(ErrorEnvelope::class.java).fromJson(text)!!.error.type
    }

    val report = mapOf(
        "quoted" to quoted,
        "id" to payment.id,
        "status" to payment.status,
        "beneficiary" to payment.beneficiary.name,
        "bank" to payment.beneficiary.bank,
        "amount" to debit.amount,
        "balance" to debit.balanceAfter,
        "error" to error,
    )
    println(Moshi.Builder().build().adapter(Map::class.java).serializeNulls().toJson(report))
}
