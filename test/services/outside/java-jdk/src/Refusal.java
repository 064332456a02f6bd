import java.util.LinkedHashMap;
import java.util.Map;

/** An error answer. */
final class Refusal extends Exception {
    final int status;
    final String type;
    final Map<String, Object> extra = new LinkedHashMap<>();
    final Map<String, String> headers = new LinkedHashMap<>();

    Refusal(int status, String type, String message) {
        super(message, null, false, false);
        this.status = status;
        this.type = type;
    }

    Refusal with(String k, Object v) {
        extra.put(k, v);
        return this;
    }

    Refusal header(String k, String v) {
        headers.put(k, v);
        return this;
    }

    static Refusal fields(Map<String, Object> fields) {
        return new Refusal(422, "validation_error", "One or more parameters are invalid.").with("fields", fields);
    }
}
