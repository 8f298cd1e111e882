package dev.weir.core.actions.merge;

import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.opensearch.action.bulk.BulkInternals;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * One shard bulk request with the items of several clients. It is assembled when it is written: a
 * part whose client has left by then is left out, because its bytes may have been released. A node
 * answers the items in their order, each with its position in the client's bulk, so that every
 * client gets its own items back. A failure of the call fails every part. The call runs until its
 * last client has left. Confined to one event loop.
 */
final class MergedBulkCall
    implements Writeable, ReplyHandler<BulkShardResponse>, MergeablePart.Holder {
  private final MergeServices queue;
  private final List<MergeablePart> parts;
  private final SharedResponseMemory responseMemory;
  private final RequestContext context;
  private List<MergeablePart> sentParts = List.of();
  private int remainingParts;
  private boolean finished;

  /**
   * Creates a call.
   *
   * @param parts two or more
   * @param answers the response memory, to which each part contributes
   */
  MergedBulkCall(MergeServices queue, List<MergeablePart> parts, SharedResponseMemory answers) {
    this.queue = queue;
    this.parts = List.copyOf(parts);
    this.responseMemory = answers;
    this.remainingParts = parts.size();
    RequestContext first = firstPart().context();
    this.context =
        new RequestContext(
            first.eventLoop(), Runnable::run, first.taskId(), commonHeaders(), first.tenant());
    SocketAddress client = first.clientAddress();
    if (client != null) {
      context.setClientAddress(client); // the call counts for the tenant that has waited
    }
    context.resources().setPolicy(first.resources().policy());
    context.resources().setMemory(answers);
  }

  private MergeablePart firstPart() {
    return parts.getFirst();
  }

  /** Returns the headers that all parts have in common, without those that identify a request. */
  private Map<String, String> commonHeaders() {
    Map<String, String> common = new HashMap<>(firstPart().call().headers());
    for (MergeablePart part : parts) {
      common.entrySet().retainAll(part.call().headers().entrySet());
    }
    return Map.copyOf(common);
  }

  void send() {
    int documents = 0;
    for (MergeablePart part : parts) {
      part.moveTo(this);
      documents += part.items().length;
    }
    queue.onCallStarted();
    NodeCall<BulkShardResponse> one = firstPart().call();
    queue
        .sender()
        .send(
            queue.nodeId(),
            NodeCallType.forWrite(documents),
            new NodeCall<>(
                one.action(),
                this,
                one.reader(),
                one.kind(),
                context.transportHeaders(),
                Duration.ZERO),
            context,
            firstPart().loadFeedback(),
            this);
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    buildRequest().writeTo(out);
  }

  /** Builds the request from the parts whose clients still wait; these become the call's parts. */
  BulkShardRequest buildRequest() {
    sentParts = parts.stream().filter(part -> !part.isFinished()).toList();
    List<BulkItemRequest> items = new ArrayList<>();
    long timeoutNanos = Long.MAX_VALUE;
    long viewVersion = 0;
    for (MergeablePart part : sentParts) {
      items.addAll(Arrays.asList(part.items()));
      timeoutNanos = Math.min(timeoutNanos, timeLeftNanos(part));
      viewVersion = Math.max(viewVersion, part.request().routedBasedOnClusterVersion());
    }
    BulkShardRequest model = firstPart().request();
    BulkShardRequest request =
        new BulkShardRequest(
            model.shardId(), model.getRefreshPolicy(), items.toArray(new BulkItemRequest[0]));
    request.waitForActiveShards(model.waitForActiveShards());
    request.timeout(TimeValue.timeValueNanos(timeoutNanos));
    BulkInternals.setClusterStateVersion(request, viewVersion);
    return request;
  }

  /** Returns how long a node may take for a part, in nanoseconds. */
  private long timeLeftNanos(MergeablePart part) {
    long left = part.context().deadline().remainingNanos(queue.nanoTime().getAsLong());
    long least = TimeUnit.MILLISECONDS.toNanos(1);
    return Math.min(part.request().timeout().nanos(), Math.max(least, left));
  }

  @Override
  public void onCancelled(MergeablePart part) {
    if (--remainingParts == 0 && !finished) {
      finish();
      context.cancel("every client of the merged bulk has disconnected");
      responseMemory.close();
    }
  }

  @Override
  public void onReply(BulkShardResponse reply, ReplyFrame frame) {
    if (finished) {
      return;
    }
    BulkItemResponse[] items = reply.getResponses();
    int expected = sentParts.stream().mapToInt(part -> part.items().length).sum();
    if (items.length != expected) {
      onFailure(
          new NodeCallException(
              NodeCallException.Kind.MALFORMED,
              queue.nodeId(),
              new IllegalStateException(
                  "got responses of " + items.length + " items (expected: " + expected + ")")));
      return;
    }
    finish();
    Map<MergeablePart, BulkShardResponse> own = new HashMap<>();
    int from = 0;
    for (MergeablePart part : sentParts) {
      int to = from + part.items().length;
      own.put(part, toPartResponse(reply, Arrays.copyOfRange(items, from, to)));
      from = to;
    }
    completeEach(part -> {
      BulkShardResponse answer = own.get(part);
      if (answer != null) {
        part.context().response().addHeaders(frame.responseHeaders());
        part.handler().onReply(answer, frame);
      }
    });
  }

  private static BulkShardResponse toPartResponse(
      BulkShardResponse whole, BulkItemResponse[] items) {
    BulkShardResponse part =
        new BulkShardResponse(
            whole.getShardId(), items, whole.getServiceTimeEWMAInNanos(), whole.getNodeQueueSize());
    part.setShardInfo(whole.getShardInfo());
    return part;
  }

  @Override
  public void onFailure(NodeCallException failure) {
    if (!finished) {
      finish();
      completeEach(part -> part.handler().onFailure(failure));
    }
  }

  private void finish() {
    finished = true;
    queue.onCallEnded();
  }

  /** Notifies each waiting part within its own request, and then releases the memory. */
  private void completeEach(Consumer<MergeablePart> outcome) {
    RuntimeException defect = null;
    for (MergeablePart part : parts) {
      if (!part.isFinished()) {
        part.finish();
        try {
          part.context().run(() -> outcome.accept(part));
        } catch (RuntimeException e) {
          defect = e;
        }
      }
    }
    responseMemory.close();
    context.end();
    if (defect != null) {
      throw defect;
    }
  }
}
