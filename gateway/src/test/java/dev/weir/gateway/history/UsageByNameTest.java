package dev.weir.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.CompletedRequest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class UsageByNameTest {
  private static final int MAX_NAMES = 8;
  private static final CompletedRequest REQUEST =
      new CompletedRequest(
          0,
          "a:1",
          "GET",
          "/",
          "HTTP/1.1",
          "coordinated",
          "get",
          "",
          200,
          1,
          2,
          3,
          "",
          0,
          "",
          "t",
          "");

  private final UsageByName usage = new UsageByName(MAX_NAMES);

  private void add(String name, int requests) {
    for (int i = 0; i < requests; i++) {
      usage.add(name, REQUEST);
    }
  }

  @SuppressWarnings("unchecked") // the shape of the JSON
  private List<String> names(int most) {
    return ((List<Map<String, Object>>) Objects.requireNonNull(usage.toMap(most).get("top")))
        .stream().map(row -> String.valueOf(row.get("name"))).toList();
  }

  @SuppressWarnings("unchecked") // the shape of the JSON
  private Object others(int most) {
    return Objects.requireNonNull(
        ((Map<String, Object>) Objects.requireNonNull(usage.toMap(most).get("other")))
            .get("requests"));
  }

  @Test
  void sumTheNamesThatAreNotShown() {
    add("a", 3);
    add("b", 2);
    add("c", 1);
    assertThat(names(2)).containsExactly("a", "b");
    assertThat(others(2)).isEqualTo(1L);
    assertThat(others(3)).isEqualTo(0L);
  }

  @Test
  void boundTheNames() {
    for (int i = 0; i < 3 * MAX_NAMES; i++) {
      add("name" + i, 1);
    }
    assertThat(names(100)).hasSize(MAX_NAMES);
    assertThat(others(100)).isEqualTo(2L * MAX_NAMES);
  }

  @Test
  void makeRoomForNewNamesAndLoseNoRequest() {
    for (int i = 0; i < MAX_NAMES; i++) {
      add("name" + i, i == 3 ? 10 : 1);
    }
    usage.onStep();
    add("new", 5);
    usage.onStep();
    assertThat(names(100)).contains("name3", "new").hasSizeLessThan(MAX_NAMES);
    assertThat(names(100)).hasSize(5);
    assertThat(others(100)).isEqualTo(4L);
    usage.onStep();
    assertThat(others(100)).isEqualTo(4L);
    add("name0", 1);
    assertThat(names(100)).contains("name0");
  }

  @Test
  void keepNoLongNames() {
    add("x".repeat(1000), 1);
    assertThat(names(1).getFirst()).hasSize(UsageByName.MAX_NAME);
  }
}
