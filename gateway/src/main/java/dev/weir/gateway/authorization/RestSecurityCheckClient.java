package dev.weir.gateway.authorization;

import dev.weir.core.actions.authorization.SecurityCheckClient;
import dev.weir.core.actions.authorization.SecurityCheckRequest;
import dev.weir.http.proxy.InternalProxiedRequest;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.HttpExchange;
import dev.weir.model.NodeResponseListener;
import io.netty.channel.EventLoop;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/**
 * Asks the nodes' REST ports through the proxy, on the client's event loop. Safe on any thread.
 *
 * @param sender reaches a node
 */
public record RestSecurityCheckClient(Sender sender) implements SecurityCheckClient {
  /** A user with thousands of roles fits; a longer response is a failure. */
  private static final int MAX_RESPONSE_BYTES = 256 * 1024;

  /** Sends requests of the gateway's own, on their event loop. */
  @FunctionalInterface
  public interface Sender {
    /** Sends a request; the result cancels it, on the event loop. */
    Runnable send(EventLoop loop, HttpExchange request, NodeResponseListener listener);
  }

  /** Creates questions to the nodes of a cluster. */
  public static RestSecurityCheckClient through(NodeProxy proxy) {
    return new RestSecurityCheckClient(
        (loop, request, listener) -> InternalProxiedRequest.send(proxy, loop, request, listener));
  }

  @Override
  public CompletableFuture<CheckResponse> ask(SecurityCheckRequest question) {
    if (!(question.eventLoop() instanceof EventLoop loop)) {
      throw new IllegalArgumentException(
          "got " + question.eventLoop() + " (expected: an event loop of a client)");
    }
    ResponseCollector response = new ResponseCollector();
    if (loop.inEventLoop()) {
      send(question, loop, response);
    } else {
      loop.execute(() -> send(question, loop, response));
    }
    return response.answer;
  }

  private void send(SecurityCheckRequest question, EventLoop loop, ResponseCollector response) {
    if (response.answer.isDone()) {
      return; // cancelled before it was sent
    }
    Runnable abort = sender.send(loop, question, response);
    response.answer.whenComplete((answer, failure) -> {
      if (failure != null) {
        loop.execute(() -> {
          if (!response.ended) {
            abort.run(); // it would keep its connection until the node answers
          }
        });
      }
    });
  }

  /** Gathers one response. Confined to the event loop. */
  private static final class ResponseCollector implements NodeResponseListener {
    private final CompletableFuture<CheckResponse> answer = new CompletableFuture<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private int status;
    private boolean ended;

    @Override
    public void onHead(int received, String contentType, String coding) {
      if (coding.isEmpty()) {
        status = received;
      } else {
        fail("got a response with the coding " + coding);
      }
    }

    @Override
    public boolean onContent(ByteBuffer part) {
      if (body.size() + part.remaining() > MAX_RESPONSE_BYTES) {
        fail("got a response of more than " + MAX_RESPONSE_BYTES + " bytes");
        return false;
      }
      byte[] bytes = new byte[part.remaining()];
      part.get(bytes);
      body.writeBytes(bytes);
      return true;
    }

    @Override
    public void onComplete() {
      ended = true;
      answer.complete(new CheckResponse(status, body.toString(StandardCharsets.UTF_8)));
    }

    @Override
    public void onFailure(int failure) {
      ended = true;
      fail("got no response from a node, status " + failure);
    }

    private void fail(String why) {
      answer.completeExceptionally(new IOException(why));
    }
  }
}
