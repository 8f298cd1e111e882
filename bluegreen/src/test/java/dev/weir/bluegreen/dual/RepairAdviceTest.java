package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.dual.RepairEntry.Cause;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepairAdviceTest {
  private static final Instant TIME = Instant.parse("2026-05-06T07:08:09Z");

  @TempDir private Path directory;

  private void log(String from, String to) throws IOException {
    RollingRepairLogFile file = new RollingRepairLogFile(directory, TIME, from.hashCode(), 1);
    file.write(
        List.of(
            RepairEntry.RequestEntry.of(TIME, from, to, "POST", "/x", Cause.ofGateway("", ""))
                .toLine()));
    file.close();
  }

  @Test
  void adviseNothingWhileTrafficIsWhereTheEntriesAreFrom() throws IOException {
    log("blue", "green");
    assertThat(RepairAdvice.of(directory, Map.of("blue", 1.0), true))
        .containsExactly("blue to green: 1 entries");
    assertThat(RepairAdvice.of(directory, Map.of("blue", 9.0, "green", 1.0), true)).hasSize(1);
  }

  @Test
  void adviseOnBothDirectionsOnce() throws IOException {
    log("blue", "green");
    log("green", "blue");
    assertThat(RepairAdvice.of(directory, Map.of("blue", 9.0, "green", 1.0), true))
        .hasSize(3)
        .contains("blue to green: 1 entries", "green to blue: 1 entries")
        .filteredOn(line -> line.startsWith("advice: "))
        .hasSize(1)
        .first()
        .asString()
        .contains("First repair without --from and --to");
  }

  @Test
  void adviseOnEntriesOfAClusterWithoutTraffic() throws IOException {
    log("blue", "green");
    assertThat(RepairAdvice.of(directory, Map.of("green", 1.0), true).getLast())
        .startsWith("advice: by the configured weights green gets the requests and blue none")
        .contains("First look at --dry-run");
    assertThat(RepairAdvice.of(directory, Map.of("blue", 0.0, "green", 1.0), false).getLast())
        .contains("First turn on dual writes");
  }

  @Test
  void adviseNothingForAnEmptyLog() throws IOException {
    assertThat(RepairAdvice.of(directory, Map.of("blue", 1.0), true)).isEmpty();
  }
}
