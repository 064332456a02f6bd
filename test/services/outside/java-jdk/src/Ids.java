import java.security.SecureRandom;

final class Ids {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

    private Ids() { }

    static String make(String prefix, int length) {
        StringBuilder b = new StringBuilder(prefix);
        for (int i = 0; i < length; i++) b.append(ALPHABET.charAt(RANDOM.nextInt(32)));
        return b.toString();
    }
}
