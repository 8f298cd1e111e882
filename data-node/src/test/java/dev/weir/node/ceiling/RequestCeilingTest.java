package dev.weir.node.ceiling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RequestCeilingTest {
  private static final long NONE = Long.MAX_VALUE;

  @Test
  void readBothLimits() {
    assertThat(RequestCeiling.parse("bytes=100,buckets=7")).isEqualTo(new RequestCeiling(100, 7));
    assertThat(RequestCeiling.parse("buckets=7")).isEqualTo(new RequestCeiling(NONE, 7));
    assertThat(RequestCeiling.parse("bytes=100")).isEqualTo(new RequestCeiling(100, NONE));
  }

  @Test
  void ignoreWhatANewerGatewaySays() {
    assertThat(RequestCeiling.parse(" bytes = 100 , hits=5, odd"))
        .isEqualTo(new RequestCeiling(100, NONE));
  }

  @Test
  void setNoLimitWithoutAReadableOne() {
    assertThat(RequestCeiling.parse(null)).isNull();
    assertThat(RequestCeiling.parse("")).isNull();
    assertThat(RequestCeiling.parse("bytes=many")).isNull();
    assertThat(RequestCeiling.parse("bytes=-1,buckets=")).isNull();
  }
}
