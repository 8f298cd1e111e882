package dev.weir.core.actions.merge;

import dev.weir.model.RequestContext;
import dev.weir.model.Work;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.opensearch.action.bulk.BulkDoor;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * One call with the parts of several clients. What is sent is put together when it is written: a
 * part that nobody waits for by then is left out, for its bytes may be gone. A node answers items
 * in their order, each with the place that it has in its own bulk, so that every part gets back its
 * own. A failure of the call is told to each. It goes on for as long as anybody waits for it.
 * Confined to one home.
 */
final class MergedCall implements Writeable, ReplyHandler<BulkShardResponse>, Part.Place {
  private final Lane lane;
  private final List<Part> parts;
  private final SharedAnswers answers;
  private final RequestContext context;
  private List<Part> written = List.of();
  private int present;
  private boolean over;

  /**
   * Makes a call.
   *
   * @param parts two or more
   * @param answers to which each has paid
   */
  MergedCall(Lane lane, List<Part> parts, SharedAnswers answers) {
    this.lane = lane;
    this.parts = List.copyOf(parts);
    this.answers = answers;
    this.present = parts.size();
    RequestContext first = first().context();
    this.context =
        new RequestContext(
            first.home(), Runnable::run, first.taskId(), commonHeaders(), first.tenant());
    context.goesBy(first.policy());
    context.paidBy(answers);
  }

  private Part first() {
    return parts.getFirst();
  }

  /** What goes along with all of them; what tells one from another can't. */
  private Map<String, String> commonHeaders() {
    Map<String, String> common = new HashMap<>(first().call().headers());
    for (Part part : parts) {
      common.entrySet().retainAll(part.call().headers().entrySet());
    }
    return Map.copyOf(common);
  }

  void send() {
    int documents = 0;
    for (Part part : parts) {
      part.at(this);
      documents += part.items().length;
    }
    lane.began();
    NodeCall<BulkShardResponse> one = first().call();
    lane.sender()
        .send(
            lane.nodeId(),
            Work.writing(documents),
            new NodeCall<>(
                one.action(),
                this,
                one.reader(),
                one.kind(),
                context.transportHeaders(),
                Duration.ZERO),
            context,
            first().piggyback(),
            this);
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    together().writeTo(out);
  }

  /** The request with the parts that somebody waits for; from now on these are its parts. */
  BulkShardRequest together() {
    written = parts.stream().filter(part -> !part.isOver()).toList();
    List<BulkItemRequest> items = new ArrayList<>();
    long timeoutNanos = Long.MAX_VALUE;
    long viewVersion = 0;
    for (Part part : written) {
      items.addAll(Arrays.asList(part.items()));
      timeoutNanos = Math.min(timeoutNanos, timeLeft(part));
      viewVersion = Math.max(viewVersion, part.request().routedBasedOnClusterVersion());
    }
    BulkShardRequest model = first().request();
    BulkShardRequest request =
        new BulkShardRequest(
            model.shardId(), model.getRefreshPolicy(), items.toArray(new BulkItemRequest[0]));
    request.waitForActiveShards(model.waitForActiveShards());
    request.timeout(TimeValue.timeValueNanos(timeoutNanos));
    BulkDoor.routedBy(request, viewVersion);
    return request;
  }

  /** How long a node may take for a part, nanoseconds. */
  private long timeLeft(Part part) {
    long left = part.context().deadline().leftNanos(lane.nanoTime().getAsLong());
    long least = TimeUnit.MILLISECONDS.toNanos(1);
    return Math.min(part.request().timeout().nanos(), Math.max(least, left));
  }

  @Override
  public void left(Part part) {
    if (--present == 0 && !over) {
      ends();
      context.cancel("nobody waits for it any more");
      answers.close();
    }
  }

  @Override
  public void onReply(BulkShardResponse reply, ReplyFrame frame) {
    if (over) {
      return;
    }
    BulkItemResponse[] items = reply.getResponses();
    int expected = written.stream().mapToInt(part -> part.items().length).sum();
    if (items.length != expected) {
      onFailure(
          new NodeFailure(
              NodeFailure.Kind.MALFORMED,
              lane.nodeId(),
              new IllegalStateException(
                  "got the answers of " + items.length + " items (expected: " + expected + ")")));
      return;
    }
    ends();
    Map<Part, BulkShardResponse> own = new HashMap<>();
    int from = 0;
    for (Part part : written) {
      int to = from + part.items().length;
      own.put(part, part(reply, Arrays.copyOfRange(items, from, to)));
      from = to;
    }
    tellEach(part -> {
      BulkShardResponse answer = own.get(part);
      if (answer != null) {
        part.context().addResponseHeaders(frame.responseHeaders());
        part.handler().onReply(answer, frame);
      }
    });
  }

  private static BulkShardResponse part(BulkShardResponse whole, BulkItemResponse[] items) {
    BulkShardResponse part =
        new BulkShardResponse(
            whole.getShardId(), items, whole.getServiceTimeEWMAInNanos(), whole.getNodeQueueSize());
    part.setShardInfo(whole.getShardInfo());
    return part;
  }

  @Override
  public void onFailure(NodeFailure failure) {
    if (!over) {
      ends();
      tellEach(part -> part.handler().onFailure(failure));
    }
  }

  private void ends() {
    over = true;
    lane.ended();
  }

  /** Tells those that wait, each in its own request; then the memory is given back. */
  private void tellEach(Consumer<Part> outcome) {
    RuntimeException defect = null;
    for (Part part : parts) {
      if (!part.isOver()) {
        part.ends();
        try {
          part.context().run(() -> outcome.accept(part));
        } catch (RuntimeException e) {
          defect = e;
        }
      }
    }
    answers.close();
    context.end();
    if (defect != null) {
      throw defect;
    }
  }
}
