import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One account in one mode: wallets, reservations, payments, history. All access is synchronized. */
final class Ledger {
    static final String FAILING_ACCOUNT = "SG90000002";
    static final BigDecimal REVIEW_FROM_USD = new BigDecimal("5000");
    static final double PROCESSING_AFTER = 1, FINAL_AFTER = 3, REFUND_AFTER = 4.5, KEY_LIFE = 86400;

    /** Committed credit lines: the wallet may go this far below zero. */
    private static final Map<String, BigDecimal> CREDIT = Map.of("EUR", new BigDecimal("2000.00"));

    static final class Row {
        final String id = Ids.make("txn_", 18);
        final String type, currency, description;
        final BigDecimal amount;
        final OffsetDateTime at;
        final Payment payment;
        final boolean showsPaymentStatus;

        Row(String type, String currency, BigDecimal amount, String description, OffsetDateTime at, Payment payment) {
            this.type = type;
            this.currency = currency;
            this.amount = amount;
            this.description = description;
            this.at = at;
            this.payment = payment;
            this.showsPaymentStatus = type.equals("payment");
        }

        String status() { return showsPaymentStatus ? payment.status : "completed"; }

        Map<String, Object> json() {
            Map<String, Object> m = Json.obj("id", id, "type", type, "status", status(),
                "currency", currency, "amount", amount);
            if (showsPaymentStatus) m.put("fee", payment.quote.fee);
            if (payment != null) m.put("payment_id", payment.id);
            m.put("description", description);
            m.put("created_at", Clock.format(at));
            return m;
        }
    }

    static final class Short extends Exception {
        final BigDecimal available;

        Short(BigDecimal available) { this.available = available; }
    }

    private static final class Remembered {
        String fingerprint;
        Payment payment;
        long expires;
    }

    static final class Conflict extends Exception { }

    static final class Created {
        final Map<String, Object> json;
        final int status;
        final boolean replay;

        Created(Map<String, Object> json, int status, boolean replay) {
            this.json = json;
            this.status = status;
            this.replay = replay;
        }
    }

    final String mode;
    private final Clock clock;
    private final Webhooks hooks;
    private final Map<String, BigDecimal> balances = new LinkedHashMap<>();
    private final Map<String, BigDecimal> reserved = new HashMap<>();
    private final Map<String, Payment> payments = new HashMap<>();
    private final Map<String, Remembered> keys = new HashMap<>();
    private final List<Row> rows = new ArrayList<>();

    Ledger(String mode, Clock clock, Webhooks hooks) {
        this.mode = mode;
        this.clock = clock;
        this.hooks = hooks;
    }

    synchronized void deposit(String currency, String amount, int daysAgo, int hour, String text) {
        BigDecimal a = new BigDecimal(amount);
        balances.merge(currency, a, BigDecimal::add);
        rows.add(new Row("deposit", currency, a, text, Clock.daysAgo(daysAgo, hour), null));
    }

    synchronized Created create(Fx.Quote q, Map<String, String> texts, String key) throws Short, Conflict {
        String fingerprint = q.from + "|" + q.to + "|" + q.send + "|" + Json.write(texts);
        if (key != null) {
            Remembered r = keys.get(key);
            if (r != null && System.nanoTime() - r.expires < 0) {
                if (!r.fingerprint.equals(fingerprint)) throw new Conflict();
                return new Created(r.payment.json(), 200, true);
            }
        }
        BigDecimal available = available(q.from);
        if (q.send.compareTo(available) > 0) throw new Short(available.max(BigDecimal.ZERO));

        Payment p = new Payment(Ids.make("pay_" + mode + "_", 20), q, texts);
        payments.put(p.id, p);
        reserved.merge(q.from, q.send, BigDecimal::add);
        rows.add(new Row("payment", q.from, q.send.negate(), "Payment to " + texts.get("beneficiary_name"), p.createdAt, p));
        if (key != null) {
            Remembered r = new Remembered();
            r.fingerprint = fingerprint;
            r.payment = p;
            r.expires = System.nanoTime() + clock.nanos(KEY_LIFE);
            keys.put(key, r);
        }
        hooks.publish(p, mode);
        clock.after(PROCESSING_AFTER, () -> processing(p));
        clock.after(FINAL_AFTER, () -> finish(p));
        return new Created(p.json(), p.needsReview() ? 202 : 201, false);
    }

    private BigDecimal available(String currency) {
        BigDecimal b = balances.get(currency);
        if (b == null) return Fx.round(BigDecimal.ZERO, currency);
        return b.subtract(reserved.getOrDefault(currency, BigDecimal.ZERO))
            .add(CREDIT.getOrDefault(currency, BigDecimal.ZERO));
    }

    private synchronized void processing(Payment p) {
        reserved.merge(p.quote.from, p.quote.send.negate(), BigDecimal::add);
        balances.merge(p.quote.from, p.quote.send.negate(), BigDecimal::add);
        p.status = "processing";
        hooks.publish(p, mode);
    }

    private synchronized void finish(Payment p) {
        boolean fails = p.texts.getOrDefault("beneficiary_account", "")
            .replaceAll("[ -]", "").equalsIgnoreCase(FAILING_ACCOUNT);
        p.status = fails ? "failed" : "completed";
        hooks.publish(p, mode);
        if (fails) clock.after(REFUND_AFTER - FINAL_AFTER, () -> refund(p));
    }

    private synchronized void refund(Payment p) {
        BigDecimal back = p.quote.send.subtract(p.quote.fee);
        balances.merge(p.quote.from, back, BigDecimal::add);
        rows.add(new Row("refund", p.quote.from, back, "Refund of " + p.id, Clock.now(), p));
    }

    synchronized Map<String, Object> payment(String id) {
        Payment p = payments.get(id);
        return p == null ? null : p.json();
    }

    synchronized List<Object> balances() {
        List<Object> l = new ArrayList<>();
        balances.forEach((c, b) -> l.add(Json.obj("currency", c, "balance", b)));
        return l;
    }

    /** A page of the history, newest first; null when the page is past the end. */
    synchronized Map<String, Object> history(Set<String> statuses, Set<String> types, int page, int perPage) {
        List<Row> hits = new ArrayList<>();
        for (int i = rows.size() - 1; i >= 0; i--) {
            Row r = rows.get(i);
            if (statuses != null && !statuses.contains(r.status())) continue;
            if (types != null && !types.contains(r.type)) continue;
            hits.add(r);
        }
        int pages = Math.max(1, (hits.size() + perPage - 1) / perPage);
        if (page > pages) return null;
        List<Object> out = new ArrayList<>();
        int start = (page - 1) * perPage;
        for (Row r : hits.subList(start, Math.min(hits.size(), start + perPage))) out.add(r.json());
        return Json.obj("transactions", out, "pagination",
            Json.obj("page", page, "per_page", perPage, "total", hits.size(), "total_pages", pages));
    }
}
