import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;

/** Currencies, their minor units, and prices. */
final class Fx {
    private static final Map<String, BigDecimal> PER_USD = new LinkedHashMap<>();
    private static final Map<String, Integer> DIGITS = new LinkedHashMap<>();

    static final BigDecimal FEE = new BigDecimal("0.005");
    /** What the client keeps of the mid-market rate on a conversion. */
    private static final BigDecimal AFTER_SPREAD = new BigDecimal("0.9965");

    private static final String TABLE =
        "USD 1,EUR 0.92,GBP 0.79,CHF 0.88,CAD 1.36,AUD 1.52,NZD 1.65,SGD 1.345,HKD 7.815,JPY 149.5,"
        + "CNY 7.24,INR 83.3,KRW 1332,THB 35.9,MYR 4.71,IDR 15680,PHP 56.1,VND 24650,TWD 31.6,PKR 278.5,"
        + "BDT 109.8,LKR 312,AED 3.6725,SAR 3.75,QAR 3.64,KWD 0.3075,BHD 0.376,OMR 0.3845,JOD 0.709,ILS 3.68,"
        + "TRY 31.2,SEK 10.42,NOK 10.55,DKK 6.86,ISK 137.6,PLN 3.98,CZK 23.2,HUF 358.5,RON 4.57,ZAR 18.9,"
        + "NGN 1480,KES 146.5,GHS 12.6,EGP 47.6,MXN 17.05,BRL 4.96,CLP 968";

    static {
        for (String line : TABLE.split(",")) {
            String[] p = line.split(" ");
            PER_USD.put(p[0], new BigDecimal(p[1]));
            DIGITS.put(p[0], 2);
        }
        for (String c : new String[] {"JPY", "KRW", "VND", "ISK", "CLP"}) DIGITS.put(c, 0);
        for (String c : new String[] {"KWD", "BHD", "OMR", "JOD"}) DIGITS.put(c, 3);
    }

    private Fx() { }

    static boolean known(String c) { return PER_USD.containsKey(c); }

    static BigDecimal round(BigDecimal v, String currency) {
        return v.setScale(DIGITS.get(currency), RoundingMode.HALF_UP);
    }

    static BigDecimal usdValue(BigDecimal v, String currency) {
        return v.divide(PER_USD.get(currency), 2, RoundingMode.HALF_UP);
    }

    static BigDecimal rate(String from, String to) {
        if (from.equals(to)) return BigDecimal.ONE;
        BigDecimal r = PER_USD.get(to).multiply(AFTER_SPREAD)
            .divide(PER_USD.get(from), 6, RoundingMode.HALF_UP).stripTrailingZeros();
        return r.scale() < 0 ? r.setScale(0) : r;
    }

    static final class Quote {
        final String from, to;
        final BigDecimal send, fee, rate, receive;

        Quote(String from, String to, BigDecimal send) {
            this.from = from;
            this.to = to;
            this.send = send;
            this.fee = round(send.multiply(FEE), from);
            this.rate = rate(from, to);
            this.receive = round(send.subtract(fee).multiply(rate), to);
        }

        Map<String, Object> json() {
            return Json.obj("from_currency", from, "to_currency", to, "send_amount", send,
                "fee", fee, "rate", rate, "receive_amount", receive);
        }
    }
}
