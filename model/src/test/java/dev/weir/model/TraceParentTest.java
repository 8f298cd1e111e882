package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TraceParentTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";
  private static final String IDS = TRACE + "-" + SPAN;

  @Test
  void parseTheSpecificationsExamples() {
    String sampled = "00-" + IDS + "-01";
    String not = "00-" + IDS + "-00";
    assertThat(TraceParent.parse(sampled)).isEqualTo(new TraceParent(TRACE, SPAN, true));
    assertThat(TraceParent.parse(not)).isEqualTo(new TraceParent(TRACE, SPAN, false));
    assertThat(TraceParent.parse(sampled)).hasToString(sampled);
    assertThat(TraceParent.parse(not)).hasToString(not);
  }

  @Test
  void readSampledFromTheLastBitOfTheFlags() {
    assertThat(TraceParent.parse("00-" + IDS + "-03")).extracting("sampled").isEqualTo(true);
    assertThat(TraceParent.parse("00-" + IDS + "-ff")).extracting("sampled").isEqualTo(true);
    assertThat(TraceParent.parse("00-" + IDS + "-fe")).extracting("sampled").isEqualTo(false);
    assertThat(TraceParent.parse("00-" + IDS + "-10")).extracting("sampled").isEqualTo(false);
  }

  @Test
  void parseTheCommonFieldsOfLaterVersions() {
    TraceParent read = new TraceParent(TRACE, SPAN, true);
    assertThat(TraceParent.parse("01-" + IDS + "-01")).isEqualTo(read);
    assertThat(TraceParent.parse("cc-" + IDS + "-01-what-the-future-brings")).isEqualTo(read);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-" + IDS,
        "00-" + IDS + "-",
        "00-" + IDS + "-1",
        "00-" + IDS + "-0g",
        "00-" + IDS + "-01-",
        "00-" + IDS + "-01-more",
        "00-" + IDS + "-011",
        "01-" + IDS + "-01.more",
        "ff-" + IDS + "-01",
        "0x-" + IDS + "-01",
        " 00-" + IDS + "-01",
        "00_" + IDS + "-01",
        "00-" + TRACE + "_" + SPAN + "-01",
        "00-" + IDS + "_01",
        "00-00000000000000000000000000000000-" + SPAN + "-01",
        "00-" + TRACE + "-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + SPAN + "-01",
        "00-" + TRACE + "-00F067AA0BA902B7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-" + SPAN + "-01",
        "00-" + TRACE + "0-00f067aa0ba902b-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473\u0661-" + SPAN + "-01"
      })
  void ignoreMalformedValues(String value) {
    assertThat(TraceParent.parse(value)).isNull();
  }
}
