package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.NodeSender;
import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.RequestContext;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdentityGuardTest {
  private static final Map<String, String> NAMED =
      Map.of("_opendistro_security_user_header", "user");

  private final List<String> sent = new ArrayList<>();
  private final List<Integer> refused = new ArrayList<>();
  private final AuthorizationCounts counts = new AuthorizationCounts();
  private boolean active = true;
  private boolean batched;

  private void send(String action, Map<String, String> headers) {
    NodeSender sender =
        new NodeSender() {
          @Override
          public <R> PendingCall send(
              String nodeId,
              NodeCallType work,
              NodeCall<R> call,
              RequestContext context,
              @Nullable LoadFeedback<R> feedback,
              ReplyHandler<R> handler) {
            sent.add(call.action());
            return () -> false;
          }

          @Override
          public <R> PendingCall sendUntracked(
              String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
            sent.add(call.action());
            return () -> false;
          }
        };
    NodeSender guard = new IdentityGuard(() -> active, counts, sender);
    NodeSender guarded = batched ? guard.startBatch(0).sender() : guard;
    NodeCall<String> call =
        new NodeCall<>(action, out -> {}, in -> "", ChannelKind.READ, headers, Duration.ZERO);
    RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
    ReplyHandler<String> handler =
        new ReplyHandler<>() {
          @Override
          public void onReply(String reply, ReplyFrame frame) {}

          @Override
          public void onFailure(NodeCallException failure) {
            refused.add(failure.status());
          }
        };
    guarded.send("n", Phase.QUERY, call, context, null, handler);
    guarded.sendUntracked("n", call, context, handler);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "indices:data/read/search[phase/query]",
        "indices:data/read/get",
        "indices:data/write/bulk",
        "indices:admin/auto_create"
      })
  void refuseCallsThatNameNoUser(String action) {
    send(action, Map.of());
    assertThat(sent).isEmpty();
    assertThat(refused).containsExactly(500, 500);
    assertThat(counts.unnamedCalls()).isEqualTo(2);
  }

  @Test
  void refuseEachCallOfABatch() {
    batched = true;
    send("indices:data/read/search[phase/fetch/id]", Map.of());
    assertThat(sent).isEmpty();
    assertThat(refused).containsExactly(500, 500);
    send("indices:data/read/search[phase/fetch/id]", NAMED);
    assertThat(sent).hasSize(2);
  }

  /** Nodes carry these out unasked. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "indices:data/write/bulk[s]",
        "indices:data/read/get[s]",
        "indices:data/read/mget[shard][s]"
      })
  void refuseCallsThatNobodyAuthorizes(String action) {
    send(action, NAMED);
    assertThat(sent).isEmpty();
    assertThat(refused).containsExactly(500, 500);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "indices:data/read/search[phase/query]",
        "indices:data/read/search[free_context]",
        "indices:data/write/bulk"
      })
  void sendCallsThatNameTheUser(String action) {
    send(action, NAMED);
    assertThat(sent).containsExactly(action, action);
    assertThat(refused).isEmpty();
  }

  @Test
  void sendCallsAboutTheClusterItself() {
    send("cluster:admin/tasks/cancel", Map.of());
    send("internal:admin/tasks/ban", Map.of());
    assertThat(sent).hasSize(4);
  }

  @Test
  void sendEverythingWhereTheGatewayAuthorizesNothing() {
    active = false;
    send("indices:data/write/bulk[s]", Map.of());
    assertThat(sent).hasSize(2);
  }
}
