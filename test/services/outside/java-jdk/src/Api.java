import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Routing, authentication and the endpoints. */
final class Api implements HttpHandler {
    static final String BASE = "/api/v1";
    private static final int BODY_LIMIT = 256 * 1024;
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9._:-]{1,64}");

    private final Map<String, Ledger> ledgers;

    Api(Map<String, Ledger> ledgers) { this.ledgers = ledgers; }

    private static final class Answer {
        final int status;
        final Object data;
        final Map<String, String> headers = new LinkedHashMap<>();

        Answer(int status, Object data) {
            this.status = status;
            this.data = data;
        }
    }

    @Override
    public void handle(HttpExchange x) throws IOException {
        String requestId = Ids.make("req_", 16);
        Ledger ledger = null;
        int status;
        Map<String, Object> out = new LinkedHashMap<>();
        Map<String, String> headers;
        try {
            byte[] body = x.getRequestBody().readNBytes(BODY_LIMIT + 1);
            ledger = authenticate(x.getRequestHeaders());
            Answer a = route(x, ledger, body);
            status = a.status;
            headers = a.headers;
            out.put("success", true);
            out.put("mode", ledger.mode);
            out.put("data", a.data);
        } catch (Refusal r) {
            status = r.status;
            headers = r.headers;
            out.put("success", false);
            if (ledger != null) out.put("mode", ledger.mode);
            Map<String, Object> error = Json.obj("type", r.type, "message", r.getMessage());
            error.putAll(r.extra);
            out.put("error", error);
            out.put("request_id", requestId);
        } catch (RuntimeException e) {
            e.printStackTrace();
            status = 500;
            headers = Map.of();
            out.put("success", false);
            if (ledger != null) out.put("mode", ledger.mode);
            out.put("error", Json.obj("type", "internal_error", "message", "Something went wrong on our side."));
            out.put("request_id", requestId);
        }
        Headers h = x.getResponseHeaders();
        h.set("Content-Type", "application/json; charset=utf-8");
        h.set("Cache-Control", "no-store, private");
        h.set("Vary", "Authorization, X-API-Key");
        h.set("X-Request-Id", requestId);
        h.set("X-Api-Release", "2024-09-16");
        h.set("X-Content-Type-Options", "nosniff");
        h.set("Strict-Transport-Security", "max-age=31536000");
        h.set("Server", "paygate");
        headers.forEach(h::set);
        byte[] bytes = Json.write(out).getBytes(StandardCharsets.UTF_8);
        if (x.getRequestMethod().equals("HEAD")) {
            x.sendResponseHeaders(status, -1);
        } else {
            x.sendResponseHeaders(status, bytes.length);
            x.getResponseBody().write(bytes);
        }
        x.close();
    }

    private Ledger authenticate(Headers h) throws Refusal {
        String bearer = h.getFirst("Authorization");
        String plain = h.getFirst("X-API-Key");
        String key = null;
        boolean bad = false;
        if (bearer != null) {
            if (bearer.regionMatches(true, 0, "Bearer ", 0, 7)) key = bearer.substring(7).trim();
            else bad = true;
        }
        if (plain != null) {
            plain = plain.trim();
            if (key != null && !key.equals(plain)) bad = true;
            key = plain;
        }
        Ledger l = bad || key == null ? null : ledgers.get(key);
        if (l != null) return l;
        throw new Refusal(401, "authentication_error",
            bearer == null && plain == null ? "No API key was supplied." : "The API key is not valid.")
            .header("WWW-Authenticate", "Bearer realm=\"payments\"");
    }

    private Answer route(HttpExchange x, Ledger l, byte[] body) throws Refusal {
        String path = x.getRequestURI().getRawPath();
        String rest = path != null && path.startsWith(BASE + "/") ? path.substring(BASE.length()) : "";
        switch (rest) {
            case "/quotes":
                only(x, "POST");
                return quote(json(x, body));
            case "/payments":
                only(x, "POST");
                return pay(x, l, json(x, body));
            case "/balance":
                only(x, "GET");
                return new Answer(200, Json.obj("balances", l.balances()));
            case "/transactions":
                only(x, "GET");
                return history(l, x.getRequestURI().getRawQuery());
            default:
        }
        if (rest.startsWith("/payments/") && rest.length() > 10 && rest.indexOf('/', 10) < 0) {
            only(x, "GET");
            return payment(l, rest.substring(10));
        }
        throw new Refusal(404, "not_found", "There is no such endpoint.");
    }

    private static void only(HttpExchange x, String method) throws Refusal {
        if (!x.getRequestMethod().equals(method))
            throw new Refusal(405, "method_not_allowed", "This endpoint only supports " + method + ".")
                .header("Allow", method);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> json(HttpExchange x, byte[] body) throws Refusal {
        String type = x.getRequestHeaders().getFirst("Content-Type");
        if (type == null || !type.split(";")[0].trim().equalsIgnoreCase("application/json"))
            throw new Refusal(415, "unsupported_media_type", "Send the body as application/json.");
        if (body.length > BODY_LIMIT)
            throw new Refusal(413, "payload_too_large", "The body is larger than 256 KiB.");
        Object v;
        try {
            v = Json.parse(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
        } catch (CharacterCodingException e) {
            throw new Refusal(400, "malformed_json", "The body is not valid UTF-8.");
        } catch (Json.SyntaxError e) {
            throw new Refusal(400, "malformed_json", "The body is not valid JSON: " + e.getMessage() + ".");
        }
        if (!(v instanceof Map)) throw new Refusal(400, "malformed_json", "The body must be a JSON object.");
        return (Map<String, Object>) v;
    }

    private Answer quote(Map<String, Object> body) throws Refusal {
        Input in = new Input(body);
        String from = in.currency("from_currency");
        String to = in.currency("to_currency");
        BigDecimal amount = in.amount(from, "0.01");
        in.check();
        return new Answer(200, new Fx.Quote(from, to, amount).json());
    }

    private Answer pay(HttpExchange x, Ledger l, Map<String, Object> body) throws Refusal {
        Input in = new Input(body);
        String from = in.currency("from_currency");
        String to = in.currency("to_currency");
        BigDecimal amount = in.amount(from, "1.00");
        Map<String, String> texts = new LinkedHashMap<>();
        in.text(texts, "beneficiary_name", true, 2, 140);
        in.text(texts, "beneficiary_bank", false, 1, 100);
        in.text(texts, "beneficiary_account", false, 1, 34);
        in.text(texts, "beneficiary_country", false, 1, 60);
        in.text(texts, "purpose", false, 1, 140);
        String key = x.getRequestHeaders().getFirst("Idempotency-Key");
        if (key != null && !KEY.matcher(key).matches())
            in.problems.put("Idempotency-Key", "Must be 1 to 64 letters, digits, dots, colons, hyphens or underscores.");
        in.check();
        Fx.Quote q = new Fx.Quote(from, to, amount);
        if (q.receive.signum() <= 0)
            throw Refusal.fields(Json.obj("amount", "Too small to pay out in " + to + "."));
        try {
            Ledger.Created c = l.create(q, texts, key);
            Answer a = new Answer(c.status, c.json);
            if (c.replay) a.headers.put("Idempotency-Replayed", "true");
            else a.headers.put("Location", BASE + "/payments/" + c.json.get("id"));
            return a;
        } catch (Ledger.Conflict e) {
            throw new Refusal(409, "idempotency_conflict", "This Idempotency-Key was used for a different payment.");
        } catch (Ledger.Short e) {
            throw new Refusal(422, "insufficient_funds", "The " + from + " wallet does not cover this payment.")
                .with("currency", from).with("available", e.available);
        }
    }

    private Answer payment(Ledger mine, String id) throws Refusal {
        Map<String, Object> p = mine.payment(id);
        if (p != null) return new Answer(200, p);
        for (Ledger other : ledgers.values())
            if (other.payment(id) != null)
                throw new Refusal(403, "permission_error", "This payment belongs to another account.");
        throw new Refusal(404, "not_found", "No such payment.");
    }

    private Answer history(Ledger l, String query) throws Refusal {
        Map<String, String> q = query(query);
        int perPage = 20;
        String pp = q.getOrDefault("per_page", "");
        if (!pp.isEmpty()) {
            if (!pp.matches("[0-9]+") || pp.matches("0+"))
                throw Refusal.fields(Json.obj("per_page", "Must be a positive integer."));
            perPage = Math.min(100, small(pp));
        }
        String pg = q.getOrDefault("page", "");
        int page = pg.matches("[0-9]+") ? Math.max(1, small(pg)) : 1;
        Map<String, Object> data = l.history(choice(q.get("status")), choice(q.get("type")), page, perPage);
        if (data == null) throw new Refusal(404, "not_found", "There is no page " + page + ".");
        return new Answer(200, data);
    }

    /** A number of digits only, capped at a million. */
    private static int small(String digits) {
        String d = digits.replaceFirst("^0+(?=.)", "");
        return d.length() > 6 ? 1_000_000 : Integer.parseInt(d);
    }

    private static Set<String> choice(String v) {
        if (v == null || v.isBlank()) return null;
        return new HashSet<>(Arrays.asList(v.toLowerCase(Locale.ROOT).split("\\s*,\\s*")));
    }

    private static Map<String, String> query(String raw) {
        Map<String, String> m = new HashMap<>();
        if (raw == null) return m;
        for (String part : raw.split("&")) {
            int eq = part.indexOf('=');
            String k = eq < 0 ? part : part.substring(0, eq);
            String v = eq < 0 ? "" : part.substring(eq + 1);
            m.put(URLDecoder.decode(k, StandardCharsets.UTF_8), URLDecoder.decode(v, StandardCharsets.UTF_8).trim());
        }
        return m;
    }
}
