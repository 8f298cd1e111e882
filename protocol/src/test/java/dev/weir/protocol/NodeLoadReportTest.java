package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeLoadReportTest {
  private static @Nullable NodeLoadReport parse(String text) {
    byte[] around = ("1" + text + ",1").getBytes(StandardCharsets.ISO_8859_1);
    return NodeLoadReport.parse(around, 1, around.length - 2);
  }

  /** The plugin's own test writes the same text. */
  @Test
  void readWhatThePluginWrites() {
    assertThat(parse("3,14,812345,27,61,1042,2"))
        .isEqualTo(new NodeLoadReport(3, 14, 812_345, 27, 61, 1042, 2));
    assertThat(parse("-,-,-,-,-,-,-")).isEqualTo(new NodeLoadReport(-1, -1, -1, -1, -1, -1, -1));
  }

  @Test
  void readRandomReports() {
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 20_000; i++) {
      long[] numbers = {
        number(random, Integer.MAX_VALUE),
        number(random, Integer.MAX_VALUE),
        number(random, 999_999_999_999_999_999L),
        number(random, 100),
        number(random, 100),
        number(random, 999_999_999_999_999_999L),
        number(random, Integer.MAX_VALUE)
      };
      String text =
          LongStream.of(numbers)
              .mapToObj(number -> number < 0 ? "-" : Long.toString(number))
              .collect(Collectors.joining(","));
      assertThat(parse(text))
          .as(text)
          .isEqualTo(
              new NodeLoadReport(
                  (int) numbers[0],
                  (int) numbers[1],
                  numbers[2],
                  (int) numbers[3],
                  (int) numbers[4],
                  numbers[5],
                  (int) numbers[6]));
    }
  }

  /** A number of any length, or -1. */
  private static long number(SplittableRandom random, long max) {
    return random.nextInt(8) == 0 ? -1 : random.nextLong(1 + (max >> random.nextInt(60)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",",
        ",,,,,,",
        "1,2,3,4,5,6",
        "1,2,3,4,5,6,",
        "1,2,3,4,5,6,7,8",
        "1,2,3,4,5,6,7,",
        "1,2,3,4,5,6,7 ",
        " 1,2,3,4,5,6,7",
        "1,2,3,4,,6,7",
        "-1,2,3,4,5,6,7",
        "1,2,+3,4,5,6,7",
        "1,2,3.5,4,5,6,7",
        "1,2,0x3,4,5,6,7",
        "1;2;3;4;5;6;7",
        "2147483648,2,3,4,5,6,7",
        "1,2147483648,3,4,5,6,7",
        "1,2,1000000000000000000,4,5,6,7",
        "1,2,9999999999999999999999999999999999999999,4,5,6,7",
        "1,2,3,101,5,6,7",
        "1,2,3,4,101,6,7",
        "1,2,3,4,5,6,2147483648",
        "--,2,3,4,5,6,7"
      })
  void ignoreAnythingElse(String malformed) {
    assertThat(parse(malformed)).isNull();
  }

  @Test
  void surviveAnyBytes() {
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 50_000; i++) {
      StringBuilder text = new StringBuilder("3,14,812345,27,61,1042,2");
      for (int changes = random.nextInt(1, 4); changes > 0; changes--) {
        text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(256));
      }
      NodeLoadReport read = parse(text.toString());
      if (read != null) {
        assertThat(read.queuedTasks()).isGreaterThanOrEqualTo(-1);
        assertThat(read.serviceNanos()).isGreaterThanOrEqualTo(-1);
      }
    }
  }
}
