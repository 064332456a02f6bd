import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Timers (scaled by --speed) and wall-clock stamps. */
final class Clock {
    private static final ZoneOffset OFFICE = ZoneOffset.ofHours(8);
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSxxx");

    private final double speed;
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1, r -> {
        Thread t = new Thread(r, "timer");
        t.setDaemon(true);
        return t;
    });

    Clock(double speed) { this.speed = speed; }

    void after(double seconds, Runnable r) {
        timer.schedule(() -> {
            try {
                r.run();
            } catch (RuntimeException e) {
                e.printStackTrace();
            }
        }, (long) (seconds / speed * 1e9), TimeUnit.NANOSECONDS);
    }

    long nanos(double seconds) { return (long) (seconds / speed * 1e9); }

    static OffsetDateTime now() { return OffsetDateTime.now(OFFICE); }

    static OffsetDateTime daysAgo(int d, int hour) {
        return now().truncatedTo(ChronoUnit.DAYS).minusDays(d).plusHours(hour);
    }

    static String format(OffsetDateTime t) { return STAMP.format(t); }
}
