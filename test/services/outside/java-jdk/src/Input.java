import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads the documented fields of a request body and collects what is wrong with them. */
final class Input {
    private static final BigDecimal MAX = new BigDecimal("1000000");
    private static final Pattern PLAIN = Pattern.compile("[0-9]{1,12}(\\.[0-9]{1,6})?");
    private static final Pattern ISO = Pattern.compile("[A-Z]{3}");
    private static final Pattern ACCOUNT = Pattern.compile("[A-Za-z0-9 -]+");

    private final Map<String, Object> body;
    final Map<String, Object> problems = new LinkedHashMap<>();
    private String unsupported;

    Input(Map<String, Object> body) { this.body = body; }

    String currency(String field) {
        Object v = body.get(field);
        if (v == null) {
            problems.put(field, "This field is required.");
        } else if (!(v instanceof String) || !ISO.matcher((String) v).matches()) {
            problems.put(field, "Must be a 3-letter upper-case ISO 4217 code.");
        } else if (!Fx.known((String) v)) {
            if (unsupported == null) unsupported = field;
            return null;
        } else {
            return (String) v;
        }
        return null;
    }

    BigDecimal amount(String currency, String min) {
        Object v = body.get("amount");
        BigDecimal a;
        if (v == null) {
            problems.put("amount", "This field is required.");
            return null;
        }
        if (v instanceof BigDecimal) {
            a = (BigDecimal) v;
        } else if (v instanceof String && PLAIN.matcher((String) v).matches()) {
            a = new BigDecimal((String) v);
        } else {
            problems.put("amount", "Must be a number.");
            return null;
        }
        if (a.compareTo(MAX) > 0) {
            problems.put("amount", "Must not be greater than 1000000.");
            return null;
        }
        BigDecimal rounded = currency != null ? Fx.round(a, currency) : a;
        if (rounded.compareTo(new BigDecimal(min)) < 0) {
            problems.put("amount", "Must be at least " + min + ".");
            return null;
        }
        return rounded;
    }

    void text(Map<String, String> into, String field, boolean required, int min, int max) {
        Object v = body.get(field);
        if (v != null && !(v instanceof String)) {
            problems.put(field, "Must be a string.");
            return;
        }
        String t = v == null ? "" : ((String) v).strip();
        if (t.isEmpty()) {
            if (required) problems.put(field, "This field is required.");
            return;
        }
        int n = t.codePointCount(0, t.length());
        if (n < min) problems.put(field, "Must have at least " + min + " characters.");
        else if (n > max) problems.put(field, "Must not have more than " + max + " characters.");
        else if (t.codePoints().anyMatch(Character::isISOControl)) problems.put(field, "Must not contain control characters.");
        else if (field.equals("beneficiary_account") && !ACCOUNT.matcher(t).matches())
            problems.put(field, "May only contain letters, digits, spaces and hyphens.");
        else into.put(field, t);
    }

    void check() throws Refusal {
        if (!problems.isEmpty()) throw Refusal.fields(problems);
        if (unsupported != null)
            throw new Refusal(422, "unsupported_currency", "The currency " + body.get(unsupported) + " is not supported.")
                .with("field", unsupported);
    }
}
