package dev.weir.core.reduce.columns;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DateTextTest {
  private static final DateTimeFormatter EXPECTED =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  private static final long FIRST = Instant.parse("0001-01-01T00:00:00.000Z").toEpochMilli();
  private static final long LAST = Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli();

  @Test
  void isThatOfTheCalendar() {
    Random random = new Random(7);
    for (int i = 0; i < 100_000; i++) {
      check(random.nextLong(FIRST, LAST + 1));
    }
    for (int year = 1; year <= 9999; year++) {
      long newYear = Instant.parse("%04d-01-01T00:00:00Z".formatted(year)).toEpochMilli();
      long march = Instant.parse("%04d-03-01T00:00:00Z".formatted(year)).toEpochMilli();
      check(newYear);
      check(march);
      check(march - 1);
      if (year > 1) {
        check(newYear - 1);
      }
    }
    check(LAST);
  }

  private static void check(long millis) {
    assertThat(DateText.of(millis)).isEqualTo(EXPECTED.format(Instant.ofEpochMilli(millis)));
  }
}
