package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.dual.RepairEntry.Cause;
import dev.weir.bluegreen.dual.RepairEntry.Op;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.update.UpdateAction;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.common.xcontent.XContentType;

/** Documents that clients change where they lie: in a backing index of a data stream. */
class BackingIndexRepairTest extends DualWriteTestCase {
  private static final String BACKING = ".ds-logs-000001";

  private final List<String> said = new ArrayList<>();

  private boolean repair(boolean dismiss) throws Exception {
    return repair(false, dismiss);
  }

  private boolean repair(boolean dryRun, boolean dismiss) throws Exception {
    said.clear();
    return RepairFixture.run(
        world,
        directory,
        new RepairRunner.Options(entry -> true, dryRun, false, dismiss, Duration.ofSeconds(1)),
        said);
  }

  private void assertPredicted(String counts) throws Exception {
    assertThat(repair(true, false)).isFalse();
    assertThat(said).anyMatch(line -> line.contains(counts));
  }

  private void updateInBlue() {
    world.blue.put(BACKING, "1", 1, "{}");
    world.answered(
        UpdateAction.INSTANCE, new UpdateRequest(BACKING, "1").doc("{\"v\":1}", XContentType.JSON));
    assertThat(world.loggedDocuments()).containsExactly("update 1 2 illegal_argument_exception");
  }

  private void logCompared(String inBlue, String inGreen) throws Exception {
    RollingRepairLogFile log = RollingRepairLogFile.startNow(directory);
    log.write(
        List.of(
            new RepairEntry.DocumentEntry(
                    Instant.EPOCH,
                    "blue",
                    "green",
                    Op.INDEX,
                    new RepairEntry.Document(inGreen, inBlue, "1", null),
                    3,
                    new Cause(0, Cause.COMPARED, "SOURCE"))
                .toLine()));
    log.close();
  }

  @Test
  void replaceTheDocumentOfTheOtherCluster() throws Exception {
    world.green.put(BACKING, "1", 1, "{}");
    updateInBlue();
    assertPredicted("would write 1, ");
    assertThat(world.green.all()).containsEntry(BACKING + "/1", "1:{}");
    assertThat(repair(false)).isTrue();
    assertThat(world.green.all()).isEqualTo(world.blue.all());
    assertThat(repair(false)).isTrue();
  }

  @Test
  void listAndDismissWhatTheOtherClusterDoesNotHaveThere() throws Exception {
    updateInBlue();
    assertPredicted("would write 0, would delete 0, 0 the same already, ");
    assertThat(said).anyMatch(line -> line.contains("1 not found, 0 failed"));
    assertThat(repair(false)).isFalse();
    assertThat(said)
        .contains(
            "  "
                + BACKING
                + "/1: is not in this backing index in green, which accepts no new documents")
        .anyMatch(line -> line.contains("1 not found, 0 failed"));
    assertThat(repair(true)).isTrue();
    assertThat(repair(false)).isTrue();
    assertThat(world.green.all()).isEmpty();
  }

  @Test
  void replaceADifferenceBetweenBackingIndicesOfOtherNames() throws Exception {
    world.blue.put(BACKING, "1", 3, "{\"v\":3}");
    world.green.put(".ds-logs-000002", "1", 2, "{\"v\":2}");
    logCompared(BACKING, ".ds-logs-000002");
    assertThat(repair(false)).isTrue();
    assertThat(world.green.all()).containsEntry(".ds-logs-000002/1", "3:{\"v\":3}").hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {2, 4})
  void leaveTheSameDocumentWithAnotherVersion(long version) throws Exception {
    world.blue.put(BACKING, "1", 3, "{\"v\":3}");
    world.green.put(BACKING, "1", version, "{\"v\":3}");
    logCompared(BACKING, BACKING);
    assertPredicted("would write 0, would delete 0, 1 the same already");
    assertThat(repair(false)).isTrue();
    assertThat(world.green.all()).containsEntry(BACKING + "/1", version + ":{\"v\":3}");
  }

  @Test
  void leaveAHigherVersion() throws Exception {
    world.blue.put(BACKING, "1", 3, "{\"v\":3}");
    world.green.put(BACKING, "1", 4, "{\"v\":4}");
    logCompared(BACKING, BACKING);
    assertPredicted("1 with a higher version");
    assertThat(repair(false)).isFalse();
    assertThat(said).anyMatch(line -> line.contains("1 with a higher version"));
    assertThat(world.green.all()).containsEntry(BACKING + "/1", "4:{\"v\":4}");
  }
}
