package dev.weir.core.actions;

import dev.weir.core.actions.truncate.TruncatedValues;
import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.WritePart;
import dev.weir.core.coordinate.WriteStep;
import dev.weir.core.coordinate.WriteWork;
import dev.weir.rest.PassThroughReasons;
import dev.weir.core.reduce.BulkItems;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.admin.indices.create.AutoCreateAction;
import org.opensearch.action.admin.indices.create.CreateIndexRequest;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.action.ActionListener;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.index.VersionType;

/**
 * One bulk: first whether a pipeline makes it a node's business, then the indices to create, then
 * the items by shard. Confined to the request's home.
 */
final class BulkWork implements WriteWork {
  private final DocumentTools tools;
  private final BulkRequest bulk;
  private final BulkItems items;
  private final RequestContext context;
  private final ActionListener<BulkResponse> listener;
  private final TruncatedValues truncated;

  /** Names whose creation was answered with success. */
  private final Set<String> created = new HashSet<>();

  /** Why items came back after they were sent, by slot. */
  private final Map<Integer, Exception> givenBack = new HashMap<>();

  private boolean sent;

  BulkWork(
      DocumentTools tools,
      BulkRequest bulk,
      RequestContext context,
      ActionListener<BulkResponse> listener) {
    this.tools = tools;
    this.bulk = bulk;
    this.items = new BulkItems(bulk, tools.environment().nanoClock());
    this.context = context;
    this.listener = listener;
    this.truncated = tools.truncation().begin(context.policy());
  }

  BulkRequest bulk() {
    return bulk;
  }

  BulkItems items() {
    return items;
  }

  TruncatedValues truncated() {
    return truncated;
  }

  RequestContext context() {
    return context;
  }

  @Override
  public Duration patience() {
    return Duration.ofNanos(bulk.timeout().nanos());
  }

  /** How long a node may take for what it is sent now. */
  TimeValue timeLeft() {
    return TimeLeft.least(bulk.timeout(), context.deadline(), tools.environment().nanoClock());
  }

  @Override
  public WriteStep plan(ClusterView view, Certainty certainty) {
    if (sent) {
      dropWhatCannotBePlannedAgain(view, certainty);
    }
    if (items.left() == 0) {
      return new WriteStep.Send(List.of());
    }
    if (!sent) {
      checkPipelines(view);
    }
    Missing missing = missing(view, certainty);
    if (missing.next != null) {
      return missing.next;
    }
    ClusterBlockException block =
        view.state().blocks().globalBlockedException(ClusterBlockLevel.WRITE);
    if (block != null) {
      return UpdateWork.blocked(block, certainty);
    }
    BulkPlanner planner = new BulkPlanner(tools, this, view, missing.forbidden);
    if (!planner.plan(certainty == Certainty.CACHED)) {
      return new WriteStep.Confirm();
    }
    sent = true;
    return new WriteStep.Send(planner.parts());
  }

  private void checkPipelines(ClusterView view) {
    WritePipelines.Pass pass = tools.pipelines().pass(view);
    for (int slot = 0; slot < items.size(); slot++) {
      if (!items.isAnswered(slot) && pass.goesThroughOne(items.request(slot))) {
        throw new PassThroughException(WritePipelines.INGEST_PIPELINE);
      }
    }
  }

  /**
   * Items that came back go on only where nothing but the index's identity changed: with a pipeline
   * a node would have to take them, and it is too late for that.
   */
  private void dropWhatCannotBePlannedAgain(ClusterView view, Certainty certainty) {
    WritePipelines.Pass pass = tools.pipelines().pass(view);
    givenBack.forEach((slot, why) -> {
      DocWriteRequest<?> request = items.request(slot);
      if (certainty == Certainty.LAST || isNodesBusiness(request, pass, view)) {
        items.fail(slot, request.index(), why);
      }
    });
    givenBack.clear();
  }

  private boolean isNodesBusiness(
      DocWriteRequest<?> request, WritePipelines.Pass pass, ClusterView view) {
    try {
      return pass.mayGoThroughOne(request)
          || BulkIndex.resolve(tools, view, request, context.policy()).metadata().isSystem();
    } catch (PassThroughException reason) {
      return true;
    } catch (RuntimeException refusal) {
      return false; // planning says so
    }
  }

  /**
   * What is to be done about missing indices.
   *
   * @param next what comes before the items; null for nothing
   * @param forbidden names that must not be created, and why
   */
  private record Missing(@Nullable WriteStep next, Map<String, IndexNotFoundException> forbidden) {}

  private Missing missing(ClusterView view, Certainty certainty) {
    Map<String, IndexNotFoundException> forbidden = new HashMap<>();
    if (!tools.autoCreate().isOn(view)) {
      return new Missing(null, forbidden);
    }
    List<WritePart<?>> creations = new ArrayList<>();
    boolean awaited = false;
    for (Map.Entry<String, Boolean> name : namesToCheck().entrySet()) {
      try {
        if (tools.autoCreate().creates(name.getKey(), view)) {
          requireOurs(name.getKey());
          if (created.contains(name.getKey())) {
            awaited = true;
          } else if (!name.getValue()) {
            creations.add(creation(name.getKey()));
          }
        }
      } catch (IndexNotFoundException e) {
        requireOurs(name.getKey());
        forbidden.put(name.getKey(), e);
      }
    }
    if (!creations.isEmpty()) {
      return new Missing(new WriteStep.First(creations), forbidden);
    }
    if (awaited && certainty != Certainty.LAST) {
      return new Missing(new WriteStep.CatchUp(), forbidden);
    }
    return new Missing(null, forbidden);
  }

  /** Every name that a write other than an ordinary delete has, and whether it must be an alias. */
  private Map<String, Boolean> namesToCheck() {
    Map<String, Boolean> names = new LinkedHashMap<>();
    String last = null;
    boolean lastRequires = false;
    for (int slot = 0; slot < items.size(); slot++) {
      DocWriteRequest<?> request = items.request(slot);
      if (items.isAnswered(slot)
          || (request.opType() == DocWriteRequest.OpType.DELETE
              && request.versionType() != VersionType.EXTERNAL
              && request.versionType() != VersionType.EXTERNAL_GTE)) {
        continue;
      }
      if (!request.index().equals(last) || request.isRequireAlias() != lastRequires) {
        last = request.index();
        lastRequires = request.isRequireAlias();
        names.merge(last, lastRequires, Boolean::logicalOr);
      }
    }
    return names;
  }

  /** Names with a dot may be system indices, which nodes alone know: theirs, while it can be. */
  private void requireOurs(String name) {
    if (name.startsWith(".") && !sent && created.isEmpty()) {
      throw new PassThroughException(PassThroughReasons.SYSTEM_INDEX);
    }
  }

  private WriteIndexCreation creation(String name) {
    CreateIndexRequest request = new CreateIndexRequest();
    request.index(name);
    request.cause("auto(bulk api)");
    request.clusterManagerNodeTimeout(timeLeft());
    return new WriteIndexCreation(
        AutoCreateAction.INSTANCE,
        request,
        context,
        () -> created.add(name),
        why -> {
          for (int slot = 0; slot < items.size(); slot++) {
            if (!items.isAnswered(slot) && items.request(slot).index().equals(name)) {
              items.fail(slot, name, why);
            }
          }
        });
  }

  /** An attempt that was lost may have done an item: from now on a failure leaves that open. */
  void doubt(int slot) {
    items.doubt(slot, why -> OutcomeUnknownException.afterLoss(context, why));
  }

  /** Takes back the items of a shard that turned out to be gone. */
  void takeBack(BulkItemRequest[] shardItems, Exception why) {
    for (BulkItemRequest item : shardItems) {
      givenBack.put(item.id(), why);
    }
  }

  @Override
  public void finished() {
    truncated.tell(context);
    listener.onResponse(items.response());
  }

  @Override
  public void expired() {
    Exception why =
        DeadlineExceededException.writing(context.deadline(), DeadlineExceededException.Done.NO);
    items.failRest(why);
    finished();
  }

  @Override
  public void failed(Exception why) {
    listener.onFailure(why);
  }
}
