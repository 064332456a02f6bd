import java.time.OffsetDateTime;
import java.util.Map;

final class Payment {
    final String id;
    final Fx.Quote quote;
    /** Cleaned optional texts by request name; what was not given is not in it. */
    final Map<String, String> texts;
    final OffsetDateTime createdAt = Clock.now();
    String status = "pending";

    Payment(String id, Fx.Quote quote, Map<String, String> texts) {
        this.id = id;
        this.quote = quote;
        this.texts = texts;
    }

    Map<String, Object> json() {
        Map<String, Object> beneficiary = Json.obj("name", texts.get("beneficiary_name"));
        for (String k : new String[] {"bank", "account", "country"}) {
            String v = texts.get("beneficiary_" + k);
            if (v != null) beneficiary.put(k, v);
        }
        Map<String, Object> m = Json.obj("id", id, "status", status,
            "from_currency", quote.from, "to_currency", quote.to, "send_amount", quote.send,
            "rate", quote.rate, "receive_amount", quote.receive, "beneficiary", beneficiary);
        if (texts.containsKey("purpose")) m.put("purpose", texts.get("purpose"));
        m.put("created_at", Clock.format(createdAt));
        return m;
    }

    boolean needsReview() {
        return Fx.usdValue(quote.send, quote.from).compareTo(Ledger.REVIEW_FROM_USD) >= 0;
    }
}
