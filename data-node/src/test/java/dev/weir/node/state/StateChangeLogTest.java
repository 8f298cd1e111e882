package dev.weir.node.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.cluster.ClusterChangedEvent;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.coordination.CoordinationMetadata;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.threadpool.ThreadPool;

/** What gateways are answered while a node applies states. */
final class StateChangeLogTest {
  private static final long LONG_WAIT = TimeUnit.MINUTES.toMillis(1);

  private final ThreadPool threads =
      new ThreadPool(Settings.builder().put("node.name", "test").build());
  private final StateChangeLog log = new StateChangeLog(threads);
  private ClusterState applied = ClusterState.EMPTY_STATE;

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  /** An answer as a gateway reads it: the versions to which its steps lead. */
  private record Read(StateDiffResponse.Outcome outcome, List<Long> versions) {}

  private static ClusterState state(long version, boolean manager) {
    DiscoveryNode node =
        new DiscoveryNode(
            "n1",
            new TransportAddress(InetAddress.getLoopbackAddress(), 9300),
            Map.of(),
            Set.of(),
            Version.CURRENT);
    return ClusterState.builder(new ClusterName("test"))
        .version(version)
        .stateUUID("state-" + version)
        .nodes(DiscoveryNodes.builder().add(node).clusterManagerNodeId(manager ? "n1" : null))
        .metadata(
            Metadata.builder()
                .coordinationMetadata(CoordinationMetadata.builder().term(3).build())
                .put(
                    IndexMetadata.builder("logs-" + version)
                        .settings(
                            Settings.builder()
                                .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                                .put(IndexMetadata.SETTING_INDEX_UUID, "uuid-" + version))
                        .numberOfShards(1)
                        .numberOfReplicas(0)))
        .build();
  }

  private void apply(long version, boolean manager) {
    ClusterState next = state(version, manager);
    log.clusterChanged(new ClusterChangedEvent("test", next, applied));
    applied = next;
  }

  private CompletableFuture<StateDiffResponse> ask(long version, long waitMillis)
      throws IOException {
    return ask(version, waitMillis, response -> {});
  }

  /**
   * Asks for the next steps.
   *
   * @param first hears the response before the result does
   */
  private CompletableFuture<StateDiffResponse> ask(
      long version, long waitMillis, Consumer<StateDiffResponse> first) throws IOException {
    CompletableFuture<StateDiffResponse> answer = new CompletableFuture<>();
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      TaskId.EMPTY_TASK_ID.writeTo(out);
      out.writeString("state-" + version);
      out.writeVLong(3);
      out.writeVLong(version);
      out.writeVLong(waitMillis);
      log.await(
          new StateDiffRequest(out.bytes().streamInput()),
          new ActionListener<>() {
            @Override
            public void onResponse(StateDiffResponse response) {
              first.accept(response);
              answer.complete(response);
            }

            @Override
            public void onFailure(Exception failure) {
              answer.completeExceptionally(failure);
            }
          });
    }
    return answer;
  }

  private static Read read(CompletableFuture<StateDiffResponse> answer) throws Exception {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      answer.get(1, TimeUnit.MINUTES).writeTo(out);
      StreamInput in = out.bytes().streamInput();
      StateDiffResponse.Outcome outcome = StateDiffResponse.Outcome.values()[in.readByte()];
      List<Long> versions = new ArrayList<>();
      for (int left = in.readVInt(); left > 0; left--) {
        StreamInput step = in.readBytesReference().streamInput();
        assertThat(step.readInt()).isEqualTo(Version.CURRENT.id);
        step.readString();
        assertThat(step.readString()).startsWith("state-");
        versions.add(step.readVLong());
      }
      return new Read(outcome, versions);
    }
  }

  private static Read changes(Long... versions) {
    return new Read(StateDiffResponse.Outcome.CHANGES, List.of(versions));
  }

  private static Read only(StateDiffResponse.Outcome outcome) {
    return new Read(outcome, List.of());
  }

  @Test
  void answerEveryoneWhoWaitsWithTheNextStep() throws Exception {
    apply(1, true);
    CompletableFuture<StateDiffResponse> one = ask(1, LONG_WAIT);
    CompletableFuture<StateDiffResponse> other = ask(1, LONG_WAIT);
    assertThat(one).isNotDone();

    apply(2, true);
    assertThat(read(one)).isEqualTo(changes(2L));
    assertThat(read(other)).isEqualTo(changes(2L));
  }

  /** A listener of another plugin may throw. */
  @Test
  void answerTheOthersWhenOneCanNotBeAnswered() throws Exception {
    apply(1, true);
    CompletableFuture<StateDiffResponse> broken =
        ask(
            1,
            LONG_WAIT,
            response -> {
              throw new IllegalStateException("on purpose");
            });
    CompletableFuture<StateDiffResponse> other = ask(1, LONG_WAIT);
    apply(2, true);
    assertThat(read(other)).isEqualTo(changes(2L));
    CompletableFuture<StateDiffResponse> next = ask(2, LONG_WAIT);
    apply(3, true);
    assertThat(read(next)).isEqualTo(changes(3L));
    assertThat(broken).isNotDone();
  }

  @Test
  void answerWithAllStepsSinceAnOlderState() throws Exception {
    apply(1, true);
    CompletableFuture<StateDiffResponse> waiting = ask(1, LONG_WAIT);
    for (long version = 2; version <= 5; version++) {
      apply(version, true);
    }
    assertThat(read(waiting).versions()).startsWith(2L);
    Read all = read(ask(1, LONG_WAIT));
    for (int i = 0; i < 2_000 && all.versions().size() < 4; i++) {
      Thread.sleep(5); // steps are written one by one, on another thread
      all = read(ask(1, LONG_WAIT));
    }
    assertThat(all).isEqualTo(changes(2L, 3L, 4L, 5L));
    assertThat(read(ask(4, LONG_WAIT))).isEqualTo(changes(5L));
  }

  @Test
  void answerThatNothingHasChanged() throws Exception {
    apply(1, true);
    assertThat(read(ask(1, 1))).isEqualTo(changes());
  }

  @Test
  void doNotKnowStatesBeforeTheFirstRequest() throws Exception {
    apply(1, true);
    apply(2, true);
    assertThat(read(ask(1, LONG_WAIT))).isEqualTo(only(StateDiffResponse.Outcome.UNKNOWN_STATE));
  }

  @Test
  void forgetOldSteps() throws Exception {
    apply(1, true);
    CompletableFuture<StateDiffResponse> last = ask(1, LONG_WAIT);
    for (long version = 2; version <= 600; version++) {
      apply(version, true);
      read(last);
      last = ask(version, LONG_WAIT);
    }
    assertThat(read(ask(1, LONG_WAIT))).isEqualTo(only(StateDiffResponse.Outcome.UNKNOWN_STATE));
    assertThat(read(ask(500, LONG_WAIT)).versions()).hasSize(100);
  }

  @Test
  void waitForAStateThatAnotherNodeAppliedFirst() throws Exception {
    apply(1, true);
    CompletableFuture<StateDiffResponse> early = ask(2, LONG_WAIT);
    apply(2, true);
    apply(3, true);
    assertThat(read(early)).isEqualTo(changes(3L));
  }

  @Test
  void sayThatThereIsNoClusterManager() throws Exception {
    apply(1, true);
    CompletableFuture<StateDiffResponse> waiting = ask(1, LONG_WAIT);
    apply(1, false); // the same state without its cluster manager
    assertThat(read(waiting)).isEqualTo(only(StateDiffResponse.Outcome.NO_CLUSTER_MANAGER));

    apply(2, true);
    assertThat(read(ask(1, LONG_WAIT))).isEqualTo(changes(2L));
  }
}
