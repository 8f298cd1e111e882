package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.opensearch.core.common.io.stream.StreamInput;

final class BlockingNodeCallerTest {
  /** A node whose answers arrive on a platform thread, as an event loop is one. */
  private static final class Node implements NodeClient {
    @Override
    public NodeEndpoint endpoint() {
      throw new UnsupportedOperationException();
    }

    @Override
    public <R> PendingCall send(NodeCall<R> call, Executor home, ReplyHandler<R> handler) {
      Thread.ofPlatform().start(() -> home.execute(() -> answer(call, handler)));
      return () -> true;
    }

    private static <R> void answer(NodeCall<R> call, ReplyHandler<R> handler) {
      try {
        R reply = call.reader().read(StreamInput.wrap(new byte[] {7}));
        handler.onReply(reply, FakeSeedClient.NoFrame.INSTANCE);
      } catch (IOException bug) {
        throw new IllegalStateException(bug);
      }
    }

    @Override
    public boolean isConnected() {
      return true;
    }
  }

  @Test
  void readsNoResponseOnAnEventLoop() throws Exception {
    BlockingNodeCaller calls = new BlockingNodeCaller(Map.of());
    Duration timeout = Duration.ofSeconds(10);
    Boolean isVirtual =
        calls.call(
            new Node(), "action", out -> {}, in -> Thread.currentThread().isVirtual(), timeout);

    assertThat(isVirtual).isTrue();
    assertThat(calls.callRaw(new Node(), "action", out -> {}, timeout).bytes().length())
        .isEqualTo(1);
  }
}
