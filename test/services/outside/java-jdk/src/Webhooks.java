import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signed notifications. The first attempts of one payment's events go out in order. */
final class Webhooks {
    private static final double[] WAITS = {5, 300, 1800, 7200, 21600};

    private final URI url;
    private final String secret;
    private final Clock clock;
    private final HttpClient http;
    private final Map<String, CompletableFuture<Void>> lanes = new ConcurrentHashMap<>();

    Webhooks(String url, String secret, Clock clock) {
        this.url = url == null || url.isEmpty() ? null : URI.create(url);
        this.secret = secret;
        this.clock = clock;
        ExecutorService pool = Executors.newFixedThreadPool(2, r -> {
            Thread t = new Thread(r, "webhook");
            t.setDaemon(true);
            return t;
        });
        this.http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER).connectTimeout(Duration.ofSeconds(5))
            .executor(pool).build();
    }

    void publish(Payment p, String mode) {
        if (url == null) return;
        String body = Json.write(Json.obj(
            "event", "payment." + p.status,
            "created_at", Clock.format(Clock.now()),
            "data", Json.obj("id", p.id, "status", p.status,
                "from_currency", p.quote.from, "to_currency", p.quote.to,
                "send_amount", p.quote.send, "receive_amount", p.quote.receive, "mode", mode)));
        String delivery = Ids.make("dlv_", 16);
        lanes.compute(p.id, (k, before) ->
            (before == null ? CompletableFuture.<Void>completedFuture(null) : before)
                .thenCompose(x -> attempt(body, delivery, 0)));
    }

    private CompletableFuture<Void> attempt(String body, String delivery, int n) {
        HttpRequest q = HttpRequest.newBuilder(url).timeout(Duration.ofSeconds(10))
            .header("Content-Type", "application/json")
            .header("User-Agent", "Payments-Notifier/2.3")
            .header("X-Service-Signature", sign(body))
            .header("X-Service-Delivery", delivery)
            .header("X-Service-Attempt", Integer.toString(n + 1))
            .POST(HttpRequest.BodyPublishers.ofString(body)).build();
        return http.sendAsync(q, HttpResponse.BodyHandlers.discarding())
            .handle((r, problem) -> {
                boolean acknowledged = problem == null && r.statusCode() == 200;
                if (!acknowledged && n < WAITS.length)
                    clock.after(WAITS[n], () -> attempt(body, delivery, n + 1));
                return null;
            });
    }

    private String sign(String body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            StringBuilder hex = new StringBuilder();
            for (byte b : mac.doFinal(body.getBytes(StandardCharsets.UTF_8))) hex.append(String.format("%02x", b));
            return hex.toString();
        } catch (java.security.GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
