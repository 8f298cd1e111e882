package dev.weir.bluegreen.dual;

import dev.weir.rest.ActionExecutor;
import dev.weir.rest.NodeBulkAction;
import dev.weir.rest.PassThroughReasons;
import dev.weir.model.MemoryRefusal;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory;
import dev.weir.protocol.RequestFrames;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.support.WriteRequest;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/**
 * Carries actions out on one cluster, and repeats on another what that has acknowledged of writes.
 * The client gets the first cluster's answer, once every write that it acknowledges is in the other
 * cluster too, or on disk in the repair log. Safe on any thread.
 *
 * <pre>
 *   write --> first cluster --acknowledged--> other cluster --all there----------> answer
 *                  |                             |                                   ^
 *                  |                             +--in time, not all--> repair log --+
 *                  +--failed, and nothing can have been done-------------------------+
 * </pre>
 */
public final class DualWriting implements ActionExecutor {
  private final ActionExecutor primary;
  private final ActionExecutor documents;
  private final DualTargets targets;
  private final DualCounts counts;
  private final DualMeans means;
  private final Map<String, Patience> patience = new ConcurrentHashMap<>();

  /**
   * Makes it around a cluster's actions.
   *
   * @param primary carries requests out, by their deadlines
   * @param documents reads what they have left there
   */
  public DualWriting(
      ActionExecutor primary,
      ActionExecutor documents,
      DualTargets targets,
      DualCounts counts,
      DualMeans means) {
    this.primary = primary;
    this.documents = documents;
    this.targets = targets;
    this.counts = counts;
    this.means = means;
  }

  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void execute(
      ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener) {
    AskedWrites asked = null;
    DualTarget target = null;
    if (action.name().startsWith("indices:data/write/")) {
      target = targets.of(context);
      asked = target == null ? null : AskedWrites.of(request);
    }
    if (target == null || asked == null) {
      primary.execute(action, request, context, listener);
      return;
    }
    long price = asked.price();
    MemoryRefusal refused = context.memory().take(RequestMemory.Item.PARSED, price);
    if (refused != null) {
      listener.onFailure(RequestFrames.exception(refused));
      return;
    }
    Repetition repetition = new Repetition(this, target, context, asked.refresh());
    Write<R> write = new Write<>(request, asked, repetition, listener);
    context.onCancel(() -> context.later(write::stopped));
    write.begin(action);
  }

  ActionExecutor documents() {
    return documents;
  }

  DualCounts counts() {
    return counts;
  }

  DualMeans means() {
    return means;
  }

  Patience patience(String to) {
    return patience.computeIfAbsent(to, name -> new Patience());
  }

  /** One write. Confined to its request's home. */
  private final class Write<R extends ActionResponse> implements ActionListener<R> {
    private final ActionRequest request;
    private final AskedWrites asked;
    private final Repetition repetition;
    private final ActionListener<R> listener;
    private boolean byNode;
    private boolean heard;

    Write(
        ActionRequest request,
        AskedWrites asked,
        Repetition repetition,
        ActionListener<R> listener) {
      this.request = request;
      this.asked = asked;
      this.repetition = repetition;
      this.listener = listener;
    }

    void begin(ActionType<R> action) {
      byNode = action.name().equals(NodeBulkAction.INSTANCE.name());
      try {
        primary.execute(action, request, repetition.whole(), this);
      } catch (RuntimeException failure) {
        onFailure(failure);
      }
    }

    @Override
    public void onResponse(R response) {
      if (!heard) {
        heard = true;
        repeat(
            asked.answered(response, byNode, repetition.target().names()),
            () -> listener.onResponse(response));
      }
    }

    @Override
    public void onFailure(Exception failure) {
      if (heard) {
        return;
      }
      if (failure instanceof PassThroughException reason) {
        if (byNode || !carriedOutByNode(reason)) {
          heard = true;
          giveBack();
          listener.onFailure(failure);
        }
        return;
      }
      heard = true;
      repeat(
          asked.failed(failure, byNode, repetition.target().names()),
          () -> listener.onFailure(failure));
    }

    /**
     * A node would run the pipeline out of sight; as a bulk that it carries out as a whole, its
     * answer says what was written.
     */
    @SuppressWarnings("unchecked") // the answers to such requests
    private boolean carriedOutByNode(PassThroughException reason) {
      if (!reason.reason().equals(PassThroughReasons.INGEST_PIPELINE)) {
        return false;
      }
      BulkRequest bulk;
      ActionListener<BulkResponse> outcome;
      switch (request) {
        case BulkRequest whole -> {
          bulk = whole;
          outcome = (ActionListener<BulkResponse>) (ActionListener<?>) this;
        }
        case IndexRequest one -> {
          bulk = alone(one);
          outcome =
              ActionListener.wrap(
                  response ->
                      only(response, (ActionListener<IndexResponse>) (ActionListener<?>) this),
                  this::onFailure);
        }
        default -> {
          return false;
        }
      }
      byNode = true;
      try {
        primary.execute(NodeBulkAction.INSTANCE, bulk, repetition.whole(), outcome);
      } catch (RuntimeException failure) {
        outcome.onFailure(failure);
      }
      return true;
    }

    private static BulkRequest alone(IndexRequest one) {
      BulkRequest bulk = new BulkRequest().add(one);
      bulk.setRefreshPolicy(one.getRefreshPolicy());
      bulk.timeout(one.timeout());
      bulk.waitForActiveShards(one.waitForActiveShards());
      one.setRefreshPolicy(WriteRequest.RefreshPolicy.NONE); // no item has one of its own
      return bulk;
    }

    private static void only(BulkResponse response, ActionListener<IndexResponse> listener) {
      BulkItemResponse item = response.getItems()[0];
      BulkItemResponse.Failure failure = item.getFailure();
      if (failure == null) {
        listener.onResponse(item.getResponse());
      } else {
        listener.onFailure(failure.getCause());
      }
    }

    /** The request was stopped; by now it has an outcome, unless nobody is told of one. */
    void stopped() {
      if (!heard) {
        heard = true;
        Exception why = new IllegalStateException("stopped: " + repetition.whole().cancelReason());
        repeat(asked.failed(why, byNode, repetition.target().names()), () -> {});
      }
    }

    private void repeat(List<PendingWrite> writes, Runnable then) {
      repetition.start(
          writes,
          () -> {
            giveBack();
            then.run();
          });
    }

    private void giveBack() {
      repetition.whole().memory().giveBack(RequestMemory.Item.PARSED, asked.price());
    }
  }
}
