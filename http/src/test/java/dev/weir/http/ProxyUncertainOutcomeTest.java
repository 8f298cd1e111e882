package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Notifications about requests that may have been executed without a node's confirmation. */
class ProxyUncertainOutcomeTest {
  private static HttpServerFixture.Setup doubting(
      InetSocketAddress node, BlockingQueue<Integer> doubts) {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup().passThrough(node);
    setup.router =
        (method, uri) ->
            new RequestRouter.PassThrough(
                "test",
                null,
                status -> {
                  doubts.add(status);
                  return CompletableFuture.completedFuture(null);
                });
    return setup;
  }

  @Test
  void reportUnconfirmedRequests() throws Exception {
    BlockingQueue<Integer> doubts = new LinkedBlockingQueue<>();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              conversation.answer(200, "done");
              conversation.read();
              conversation.answer(409, "partly");
              conversation.read();
              conversation.reset();
            });
        HttpServerFixture rig = doubting(node.address(), doubts).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/1", "{}"));
      assertThat(wire.read().status()).isEqualTo(200);
      assertThat(doubts).isEmpty();
      wire.send(RawHttpConnection.post("/2", "{}"));
      assertThat(wire.read().status()).isEqualTo(409);
      assertThat(doubts.poll()).isEqualTo(409);
      wire.send(RawHttpConnection.post("/3", "{}"));
      assertThat(wire.read().status()).isEqualTo(502);
      assertThat(doubts.poll()).isEqualTo(RequestRouter.UncertainOutcomeHandler.NO_RESPONSE);
      assertThat(doubts).isEmpty();
    }
  }

  @Test
  void reportRequestsOfDisconnectedClients() throws Exception {
    BlockingQueue<Integer> doubts = new LinkedBlockingQueue<>();
    CountDownLatch asked = new CountDownLatch(1);
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              asked.countDown();
              conversation.awaitClose();
            });
        HttpServerFixture rig = doubting(node.address(), doubts).start()) {
      try (RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.post("/", "{}"));
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(doubts.poll(20, TimeUnit.SECONDS))
          .isEqualTo(RequestRouter.UncertainOutcomeHandler.NO_RESPONSE);
    }
  }

  @Test
  void hasNoDoubtWhereNothingWasSent() throws Exception {
    BlockingQueue<Integer> doubts = new LinkedBlockingQueue<>();
    try (HttpServerFixture rig = doubting(ScriptedNode.nowhere(), doubts).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/", "{}"));
      assertThat(wire.read().status()).isEqualTo(503);
      assertThat(doubts).isEmpty();
    }
  }
}
