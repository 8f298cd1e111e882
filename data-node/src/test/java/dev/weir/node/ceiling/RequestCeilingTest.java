package dev.weir.node.ceiling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.tasks.Task;

final class RequestCeilingTest {
  private static final long NONE = Long.MAX_VALUE;

  @Test
  void readBothLimits() {
    assertThat(RequestCeiling.parse("bytes=100,buckets=7"))
        .isEqualTo(new RequestCeiling(100, 7, ""));
    assertThat(RequestCeiling.parse("buckets=7")).isEqualTo(new RequestCeiling(NONE, 7, ""));
    assertThat(RequestCeiling.parse("bytes=100")).isEqualTo(new RequestCeiling(100, NONE, ""));
  }

  /** Hedged calls have parent tasks of their own. */
  @Test
  void shareTheAccountOfASearchThatTheHeaderNames() {
    RequestCeiling named = new RequestCeiling(100, NONE, "gw/17");
    assertThat(RequestCeiling.parse("bytes=100,search=gw/17")).isEqualTo(named);
    assertThat(RequestCeilings.accountKey(named, task(1)))
        .isEqualTo(RequestCeilings.accountKey(named, task(2)));
    RequestCeiling unnamed = new RequestCeiling(100, NONE, "");
    assertThat(RequestCeilings.accountKey(unnamed, task(1)))
        .isEqualTo(RequestCeilings.accountKey(unnamed, task(1)))
        .isNotEqualTo(RequestCeilings.accountKey(unnamed, task(2)));
  }

  private static Task task(long parent) {
    return new Task(5, "transport", "search", "", new TaskId("gw", parent), Map.of());
  }

  @Test
  void ignoreWhatANewerGatewaySays() {
    assertThat(RequestCeiling.parse(" bytes = 100 , hits=5, odd"))
        .isEqualTo(new RequestCeiling(100, NONE, ""));
  }

  @Test
  void setNoLimitWithoutAReadableOne() {
    assertThat(RequestCeiling.parse(null)).isNull();
    assertThat(RequestCeiling.parse("")).isNull();
    assertThat(RequestCeiling.parse("bytes=many")).isNull();
    assertThat(RequestCeiling.parse("bytes=-1,buckets=")).isNull();
  }
}
