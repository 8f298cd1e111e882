package dev.weir.core.coordinate.batch;

import dev.weir.protocol.FrameStreamInput;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.io.IOException;
import java.util.concurrent.Executor;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.transport.RemoteTransportException;
import org.opensearch.transport.TransportSerializationException;

/**
 * One call of a batch: waits, and then has one outcome or is abandoned. Confined to the event loop
 * of its request, but for reading its result.
 */
final class BatchEntry<R> implements PendingCall {
  /** The bytes that are reported of a result over the memory limit, as of a response. */
  private static final int MAX_PREFIX_BYTES = 256;

  private static final byte[] EMPTY = {};

  private final BatchMessage batch;
  private final NodeCall<R> call;

  // cleared at the end: its request may keep this object for longer
  private volatile @Nullable ReplyHandler<R> handler;

  /** The same call in another message. */
  private @Nullable PendingCall successor;

  BatchEntry(BatchMessage batch, NodeCall<R> call, ReplyHandler<R> handler) {
    this.batch = batch;
    this.call = call;
    this.handler = handler;
  }

  NodeCall<R> call() {
    return call;
  }

  /** The one that waits for the outcome; null after it or when abandoned. */
  @Nullable ReplyHandler<R> handler() {
    return handler;
  }

  /** Returns whether somebody waits for the outcome. Safe on any thread. */
  boolean isWanted() {
    return handler != null;
  }

  /** Returns whether a result would be used. Confined to the event loop of the request. */
  boolean isResultUsed() {
    ReplyHandler<R> waiting = handler;
    return waiting != null && waiting.isResultUsed();
  }

  /** Sends the call in a message of its own. */
  void sendAlone(NodeClient node, Executor executor) {
    ReplyHandler<R> waiting = handler;
    if (waiting != null) {
      successor = node.send(call, executor, waiting);
      handler = null;
    }
  }

  /** Leaves the call to a message that was not sent yet. */
  void moveTo(UnsentMessage other) {
    ReplyHandler<R> waiting = handler;
    if (waiting != null) {
      successor = other.add(call, waiting);
      handler = null;
    }
  }

  @Override
  public boolean abandon() {
    PendingCall sent = successor;
    if (sent != null) {
      return sent.abandon();
    }
    if (handler == null) {
      return false;
    }
    handler = null;
    batch.onAbandoned();
    return true;
  }

  @Override
  public boolean isWritten() {
    PendingCall sent = successor;
    return sent == null ? batch.isWritten() : sent.isWritten();
  }

  /** Passes a result on, unless the call was abandoned. */
  void complete(EntryResult<R> result, ReplyFrame frame) {
    NodeCallException failure = result.failure();
    if (failure != null) {
      fail(failure);
      return;
    }
    ReplyHandler<R> waiting = handler;
    handler = null;
    if (waiting != null) {
      waiting.onReply(result.reply(), new SharedFrame(frame, result.wireBytes()));
    }
  }

  /** Passes a failure on, unless the call was abandoned. */
  void fail(NodeCallException failure) {
    ReplyHandler<R> waiting = handler;
    handler = null;
    if (waiting != null) {
      waiting.onFailure(failure);
    }
  }

  /**
   * What came for this call.
   *
   * @param reply valid if there is no failure
   * @param wireBytes the size of the result, its part of the frame
   * @param inGroup whether the node reduced it together with others of its response
   * @param leftOutHits how many of its hits the node left out
   * @param isMerged whether its aggregations and those of others in the group are in one result
   */
  record EntryResult<R>(
      BatchEntry<R> entry,
      R reply,
      @Nullable NodeCallException failure,
      int wireBytes,
      boolean inGroup,
      int leftOutHits,
      boolean isMerged) {
    private EntryResult(
        BatchEntry<R> entry, R reply, @Nullable NodeCallException failure, int wireBytes) {
      this(entry, reply, failure, wireBytes, false, 0, false);
    }

    /** Returns the same result as one that the node reduced. */
    EntryResult<R> reduced(int leftOut, boolean merged) {
      return new EntryResult<>(entry, reply, failure, wireBytes, true, leftOut, merged);
    }

    /** Returns whether it can only be used together with the others of its group. */
    boolean isPartial() {
      return leftOutHits > 0 || isMerged;
    }

    /** Returns whether its hits count. Confined to the event loop of the request. */
    boolean isUsed() {
      return failure == null && entry.isResultUsed();
    }

    void complete(ReplyFrame frame) {
      entry.complete(this, frame);
    }
  }

  /**
   * Reads the result as the payload of a response of its own would be read; a failure to read it
   * concerns this call alone. Runs where the frame is read.
   *
   * @param of what the bytes were read from
   */
  @SuppressWarnings("NullAway") // no reply where there is a failure
  EntryResult<R> read(boolean failed, BytesReference bytes, StreamInput of) {
    BytesRef ref = bytes.toBytesRef();
    BytesArray window = new BytesArray(ref.bytes, ref.offset, ref.length);
    NodeCallException failure;
    try (FrameStreamInput in =
        new FrameStreamInput(window, of.getVersion(), of.namedWriteableRegistry(), failed)) {
      R reply = null;
      failure = null;
      if (failed) {
        failure = remote(in.readException());
      } else {
        reply = call.reader().read(in);
      }
      if (in.available() > 0) {
        throw new IOException(
            "result not read to its end: got " + in.available() + " bytes more (expected: 0)");
      }
      if (failure == null) {
        return new EntryResult<>(this, reply, null, ref.length);
      }
    } catch (CircuitBreakingException tooLarge) {
      failure = overBudget(tooLarge, failed ? EMPTY : prefix(ref));
    } catch (OutOfMemoryError e) {
      failure = overBudget(outOfMemory(ref.length, e), failed ? EMPTY : prefix(ref));
    } catch (Throwable e) { // an Error too: it concerns no other call of the message
      failure = malformed(e);
    }
    return new EntryResult<>(this, null, failure, ref.length);
  }

  private CircuitBreakingException outOfMemory(int bytes, OutOfMemoryError cause) {
    return new CircuitBreakingException(
        "no memory for a result: got " + bytes + " bytes from " + batch.nodeId() + ", " + cause,
        bytes,
        0,
        CircuitBreaker.Durability.TRANSIENT);
  }

  private static byte[] prefix(BytesRef of) {
    byte[] first = new byte[Math.min(MAX_PREFIX_BYTES, of.length)];
    System.arraycopy(of.bytes, of.offset, first, 0, first.length);
    return first;
  }

  private NodeCallException remote(Exception error) {
    return new NodeCallException(
        NodeCallException.Kind.REMOTE,
        batch.nodeId(),
        error instanceof RemoteTransportException
            ? error
            : new RemoteTransportException(error.getMessage(), error));
  }

  private NodeCallException overBudget(CircuitBreakingException cause, byte[] prefix) {
    return new NodeCallException(NodeCallException.Kind.OVER_BUDGET, batch.nodeId(), cause, prefix);
  }

  /** Creates the failure of a result that can't be read, or that is missing. */
  NodeCallException malformed(Throwable cause) {
    TransportSerializationException error =
        new TransportSerializationException(
            "Failed to deserialize response of [" + call.action() + "]: " + cause.getMessage(),
            cause);
    return new NodeCallException(
        NodeCallException.Kind.MALFORMED,
        batch.nodeId(),
        new RemoteTransportException(error.getMessage(), error));
  }
}
