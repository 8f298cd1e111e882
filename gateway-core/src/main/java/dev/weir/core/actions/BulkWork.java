package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.core.actions.deadline.DeadlineExceededException;
import dev.weir.core.actions.deadline.DeadlineTimeouts;
import dev.weir.core.actions.lines.ShardLines;
import dev.weir.core.actions.retry.OutcomeUnknownException;
import dev.weir.core.actions.truncate.RequestTruncation;
import dev.weir.core.coordinate.write.WriteOperation;
import dev.weir.core.coordinate.write.WriteStep;
import dev.weir.core.coordinate.write.WriteWork;
import dev.weir.core.reduce.items.BulkResponseCollector;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.rest.PassThroughReasons;
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
 * One bulk: has a node run its ingest pipelines, or passes through for them, then creates missing
 * indices, then sends the items by shard. Confined to the request's event loop.
 */
final class BulkWork implements WriteWork {
  private final DocumentActionServices tools;
  private final BulkRequest bulk;
  private final BulkResponseCollector items;
  private final RequestContext context;
  private final ActionListener<BulkResponse> listener;
  private final RequestTruncation truncation;
  private final BulkPipelineStage pipelineStage;

  /** Names whose creation succeeded. */
  private final Set<String> created = new HashSet<>();

  /** Why items returned to planning after they were sent, by slot. */
  private final Map<Integer, Exception> replanCauses = new HashMap<>();

  private boolean sent;

  /**
   * Prepares a bulk.
   *
   * @param isSingleDocument whether the client asked for one document, and not for a bulk
   */
  BulkWork(
      DocumentActionServices tools,
      BulkRequest bulk,
      boolean isSingleDocument,
      RequestContext context,
      ActionListener<BulkResponse> listener) {
    this.tools = tools;
    this.bulk = bulk;
    this.items = new BulkResponseCollector(bulk, tools.coordination().nanoClock());
    this.context = context;
    this.listener = listener;
    this.pipelineStage =
        new BulkPipelineStage(tools, items, context, waitTimeout(), isSingleDocument);
    this.truncation = tools.keywordTruncation().startRequest(context.resources().policy());
  }

  BulkRequest bulk() {
    return bulk;
  }

  BulkResponseCollector items() {
    return items;
  }

  RequestTruncation truncation() {
    return truncation;
  }

  RequestContext context() {
    return context;
  }

  @Override
  public Duration waitTimeout() {
    return Duration.ofNanos(bulk.timeout().nanos());
  }

  /** How long a node may take for an operation that is sent now. */
  TimeValue remainingTime() {
    return DeadlineTimeouts.capTimeout(
        bulk.timeout(), context.deadline(), tools.coordination().nanoClock());
  }

  @Override
  public WriteStep plan(ClusterView view, ViewFreshness certainty) {
    if (sent) {
      failUnreplannableItems(view, certainty);
    }
    List<ShardLines> lines =
        sent ? null : new LinePlanner(tools, context.resources(), truncation, view).plan(bulk);
    if (lines != null) {
      sent = true;
      return new WriteStep.Send(
          lines.stream()
              .map(part -> new BulkShardOperation(this, part, view.routingVersion()))
              .toList());
    }
    WriteStep pipelineStep = sent ? null : pipelineStage.plan(view);
    if (pipelineStep != null) {
      return pipelineStep;
    }
    if (items.remaining() == 0) {
      return new WriteStep.Send(List.of());
    }
    MissingIndices missing = findMissingIndices(view, certainty);
    if (missing.nextStep != null) {
      return missing.nextStep;
    }
    ClusterBlockException block =
        view.state().blocks().globalBlockedException(ClusterBlockLevel.WRITE);
    if (block != null) {
      return UpdateWork.stepForBlock(block, certainty);
    }
    BulkPlanner planner = new BulkPlanner(tools, this, view, missing.notCreatable);
    if (!planner.plan(certainty == ViewFreshness.CACHED)) {
      return new WriteStep.ConfirmView();
    }
    sent = true;
    return new WriteStep.Send(planner.operations());
  }

  /**
   * Continues with returned items only where the index's identity alone changed: with a pipeline a
   * node would have to take them, and it is too late for that.
   */
  private void failUnreplannableItems(ClusterView view, ViewFreshness certainty) {
    IngestPipelineResolver.RequestPipelines pass = tools.pipelineResolver().forRequest(view);
    replanCauses.forEach((slot, cause) -> {
      DocWriteRequest<?> request = items.request(slot);
      if (certainty == ViewFreshness.FINAL_ATTEMPT || mustPassThrough(request, pass, view)) {
        items.fail(slot, request.index(), cause);
      }
    });
    replanCauses.clear();
  }

  private boolean mustPassThrough(
      DocWriteRequest<?> request, IngestPipelineResolver.RequestPipelines pass, ClusterView view) {
    try {
      return pass.hasIndexPipeline(request)
          || BulkTargetIndex.resolve(tools, view, request, context.resources().policy())
              .metadata()
              .isSystem();
    } catch (PassThroughException reason) {
      return true;
    } catch (RuntimeException refusal) {
      return false; // planning fails the item
    }
  }

  /**
   * What to do about missing indices.
   *
   * @param nextStep the step before the items; null for none
   * @param notCreatable names that must not be created, and why
   */
  private record MissingIndices(
      @Nullable WriteStep nextStep, Map<String, IndexNotFoundException> notCreatable) {}

  private MissingIndices findMissingIndices(ClusterView view, ViewFreshness certainty) {
    Map<String, IndexNotFoundException> forbidden = new HashMap<>();
    if (!tools.autoCreation().isEnabled(view)) {
      return new MissingIndices(null, forbidden);
    }
    List<WriteOperation<?>> creations = new ArrayList<>();
    boolean awaited = false;
    for (Map.Entry<String, Boolean> name : namesToCheck().entrySet()) {
      try {
        if (tools.autoCreation().shouldCreate(name.getKey(), view)) {
          requireNonSystemIndex(name.getKey());
          if (created.contains(name.getKey())) {
            awaited = true;
          } else if (!name.getValue()) {
            creations.add(createIndexOperation(name.getKey()));
          }
        }
      } catch (IndexNotFoundException e) {
        requireNonSystemIndex(name.getKey());
        forbidden.put(name.getKey(), e);
      }
    }
    if (!creations.isEmpty()) {
      return new MissingIndices(new WriteStep.RunFirst(creations), forbidden);
    }
    if (awaited && certainty != ViewFreshness.FINAL_ATTEMPT) {
      return new MissingIndices(new WriteStep.AwaitNewerView(), forbidden);
    }
    return new MissingIndices(null, forbidden);
  }

  /** Every name in a write other than an ordinary delete, and whether it must be an alias. */
  private Map<String, Boolean> namesToCheck() {
    Map<String, Boolean> names = new LinkedHashMap<>();
    String last = null;
    boolean lastRequires = false;
    for (int slot = 0; slot < items.size(); slot++) {
      DocWriteRequest<?> request = items.request(slot);
      if (items.hasResponse(slot)
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

  /**
   * Passes names with a dot through to a node while possible: they may be system indices, which
   * only nodes know.
   */
  private void requireNonSystemIndex(String name) {
    if (name.startsWith(".") && !sent && created.isEmpty()) {
      throw new PassThroughException(PassThroughReasons.SYSTEM_INDEX);
    }
  }

  private CreateIndexOperation createIndexOperation(String name) {
    CreateIndexRequest request = new CreateIndexRequest();
    request.index(name);
    request.cause("auto(bulk api)");
    request.clusterManagerNodeTimeout(remainingTime());
    return new CreateIndexOperation(
        AutoCreateAction.INSTANCE,
        request,
        context,
        () -> created.add(name),
        cause -> {
          for (int slot = 0; slot < items.size(); slot++) {
            if (!items.hasResponse(slot) && items.request(slot).index().equals(name)) {
              items.fail(slot, name, cause);
            }
          }
        });
  }

  /** Records that a lost attempt may have done an item: its later failures leave that open. */
  void markUncertain(int slot) {
    items.markUncertain(slot, cause -> OutcomeUnknownException.afterLostAttempt(context, cause));
  }

  /** Returns the items of a shard that no longer exists to planning. */
  void takeBackItems(BulkItemRequest[] shardItems, Exception cause) {
    for (BulkItemRequest item : shardItems) {
      replanCauses.put(item.id(), cause);
    }
  }

  @Override
  public void onFinished() {
    truncation.addWarnings(context);
    listener.onResponse(items.buildResponse());
  }

  @Override
  public void onDeadlineExpired() {
    Exception cause =
        DeadlineExceededException.forWrite(
            context, DeadlineExceededException.WriteState.NOT_WRITTEN);
    items.failRest(cause);
    onFinished();
  }

  @Override
  public void onFailure(Exception cause) {
    listener.onFailure(cause);
  }
}
