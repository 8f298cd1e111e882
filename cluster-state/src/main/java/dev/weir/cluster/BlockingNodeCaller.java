package dev.weir.cluster;

import dev.weir.cluster.read.ResponseInput;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.opensearch.Version;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * Calls nodes and blocks until the response arrives: for virtual threads, never for event loops. No
 * event loop parses a response either, as one about all nodes or indices may be large: a virtual
 * thread of the call does.
 *
 * @param headers sent with each call, such as credentials
 */
public record BlockingNodeCaller(Map<String, String> headers) {
  /** A response that is not parsed yet. */
  record RawResponse(BytesArray bytes, Version version) {
    /** Opens the response for parsing. */
    ResponseInput open(NamedWriteableRegistry registry) {
      return new ResponseInput(bytes, version, registry);
    }
  }

  private static void startReader(Runnable reader) {
    try {
      Thread.ofVirtual().name("weir-cluster-reader").start(reader);
    } catch (OutOfMemoryError noThread) {
      reader.run(); // otherwise the call would never end
    }
  }

  private static RawResponse readResponse(StreamInput in) throws IOException {
    byte[] all = new byte[in.available()];
    in.readBytes(all, 0, all.length);
    return new RawResponse(new BytesArray(all), in.getVersion());
  }

  /** Calls a node and returns the response's bytes. */
  RawResponse callRaw(NodeClient node, String action, Writeable request, Duration timeout)
      throws NodeCallException, InterruptedException {
    return call(node, action, request, BlockingNodeCaller::readResponse, timeout);
  }

  /** Calls a node and returns the response. */
  public <R> R call(
      NodeClient node,
      String action,
      Writeable request,
      Writeable.Reader<R> reader,
      Duration timeout)
      throws NodeCallException, InterruptedException {
    return call(node, action, request, reader, timeout, new CompletableFuture<>());
  }

  /**
   * Calls a node for a response that may be long in coming.
   *
   * @param outcome takes the response; the caller stops waiting when another thread cancels it
   * @throws java.util.concurrent.CancellationException if the outcome was cancelled
   */
  <R> R call(
      NodeClient node,
      String action,
      Writeable request,
      Writeable.Reader<R> reader,
      Duration timeout,
      CompletableFuture<R> outcome)
      throws NodeCallException, InterruptedException {
    PendingCall pending =
        node.send(
            new NodeCall<>(action, request, reader, ChannelKind.CONTROL, headers, timeout),
            BlockingNodeCaller::startReader,
            new ReplyHandler<R>() {
              @Override
              public void onReply(R reply, ReplyFrame frame) {
                outcome.complete(reply);
              }

              @Override
              public void onFailure(NodeCallException failure) {
                outcome.completeExceptionally(failure);
              }
            });
    try {
      return outcome.get();
    } catch (ExecutionException failed) {
      if (Objects.requireNonNull(failed.getCause()) instanceof NodeCallException failure) {
        throw failure;
      }
      throw new IllegalStateException(failed.getCause());
    } finally {
      pending.abandon();
    }
  }
}
