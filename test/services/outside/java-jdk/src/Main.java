import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;

public final class Main {
    public static void main(String[] args) throws Exception {
        Map<String, String> o = new LinkedHashMap<>();
        for (int i = 0; i + 1 < args.length; i += 2) o.put(args[i], args[i + 1]);
        Clock clock = new Clock(Double.parseDouble(o.getOrDefault("--speed", "1")));

        String secret = Ids.make("whsec_", 32);
        Ledger ours = new Ledger("test", clock, new Webhooks(o.get("--webhook-url"), secret, clock));
        ours.deposit("USD", "40000.00", 21, 9, "Opening deposit");
        ours.deposit("EUR", "6400.75", 20, 10, "SEPA credit transfer");
        ours.deposit("GBP", "12000.00", 16, 11, "Faster Payments credit");
        ours.deposit("SGD", "9500.00", 12, 9, "FAST credit");
        ours.deposit("JPY", "900000", 9, 14, "Wire credit");
        ours.deposit("KWD", "1500.000", 6, 15, "Wire credit");
        ours.deposit("USD", "8250.00", 3, 16, "Wire credit");

        Ledger theirs = new Ledger("test", clock, new Webhooks(null, secret, clock));
        theirs.deposit("USD", "1000.00", 5, 9, "Opening deposit");
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("beneficiary_name", "Harbour Freight Ltd");
        Object foreign = theirs.create(new Fx.Quote("USD", "EUR", Fx.round(new java.math.BigDecimal("75"), "USD")), texts, null)
            .json.get("id");

        Map<String, Ledger> ledgers = new LinkedHashMap<>();
        String key = Ids.make("service_test_", 28);
        ledgers.put(key, ours);
        ledgers.put(Ids.make("service_test_", 28), theirs);

        InetAddress host = InetAddress.getByName("127.0.0.1");
        HttpServer server = HttpServer.create(
            new InetSocketAddress(host, Integer.parseInt(o.getOrDefault("--port", "0"))), 128);
        server.createContext("/", new Api(ledgers));
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();

        System.out.println(Json.write(Json.obj(
            "baseUrl", "http://127.0.0.1:" + server.getAddress().getPort() + Api.BASE,
            "apiKey", key, "webhookSecret", secret, "foreignPayment", foreign,
            "accounts", Json.obj("failing", Ledger.FAILING_ACCOUNT))));
        System.out.flush();
    }
}
