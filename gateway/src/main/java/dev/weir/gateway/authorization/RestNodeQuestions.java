package dev.weir.gateway.authorization;

import dev.weir.core.actions.authorization.NodeQuestion;
import dev.weir.core.actions.authorization.NodeQuestions;
import dev.weir.http.proxy.InternalProxiedRequest;
import dev.weir.http.proxy.NodeProxy;
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
 * @param proxy of the cluster
 */
public record RestNodeQuestions(NodeProxy proxy) implements NodeQuestions {
  /** A user with thousands of roles fits; a longer response is a failure. */
  private static final int MAX_RESPONSE_BYTES = 256 * 1024;

  @Override
  public CompletableFuture<NodeAnswer> ask(NodeQuestion question) {
    if (!(question.eventLoop() instanceof EventLoop loop)) {
      throw new IllegalArgumentException(
          "got " + question.eventLoop() + " (expected: an event loop of a client)");
    }
    ResponseCollector response = new ResponseCollector();
    if (loop.inEventLoop()) {
      InternalProxiedRequest.send(proxy, loop, question, response);
    } else {
      loop.execute(() -> InternalProxiedRequest.send(proxy, loop, question, response));
    }
    return response.answer;
  }

  /** Gathers one response. Confined to the event loop. */
  private static final class ResponseCollector implements NodeResponseListener {
    private final CompletableFuture<NodeAnswer> answer = new CompletableFuture<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private int status;

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
      answer.complete(new NodeAnswer(status, body.toString(StandardCharsets.UTF_8)));
    }

    @Override
    public void onFailure(int failure) {
      fail("got no response from a node, status " + failure);
    }

    private void fail(String why) {
      answer.completeExceptionally(new IOException(why));
    }
  }
}
