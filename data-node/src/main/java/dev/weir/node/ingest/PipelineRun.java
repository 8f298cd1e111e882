package dev.weir.node.ingest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.DocWriteResponse;
import org.opensearch.action.bulk.TransportBulkAction;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.action.update.UpdateResponse;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.util.concurrent.AbstractRunnable;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.seqno.SequenceNumbers;
import org.opensearch.ingest.IngestService;
import org.opensearch.threadpool.ThreadPool;

/**
 * One run of the pipelines of some items, as {@code TransportBulkAction} does it in 3.8: it
 * resolves the pipelines by the node's newest state, has the ingest service run them, and resolves
 * those of the items left again, because an item may have gone to an index with a final pipeline of
 * its own.
 *
 * <p>The ingest service calls back on its own thread, or, where a processor is asynchronous, on
 * others; the outcomes are guarded by this object's lock.
 */
final class PipelineRun {
  private static final String GENERATED_ID = "auto-generated";

  private final Services services;
  private final String executor;
  private final List<DocWriteRequest<?>> items;
  private final ActionListener<RunPipelinesResponse> listener;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final @Nullable ItemOutcome[] outcomes;
  private final boolean[] touched;
  private long startedNanos;

  /** What a run uses of the node. */
  record Services(IngestService ingest, ClusterService cluster, ThreadPool threads) {}

  /**
   * Prepares a run.
   *
   * @param executor the name of the thread pool that runs pipelines
   * @param listener hears the one outcome, on any thread
   */
  PipelineRun(
      Services services,
      String executor,
      List<DocWriteRequest<?>> items,
      ActionListener<RunPipelinesResponse> listener) {
    this.services = services;
    this.executor = executor;
    this.items = items;
    this.listener = listener;
    this.outcomes = new ItemOutcome[items.size()];
    this.touched = new boolean[items.size()];
  }

  void start() {
    startedNanos = System.nanoTime();
    runNext();
  }

  /** Resolves the pipelines of the items without an outcome and runs them; answers without any. */
  private void runNext() {
    Metadata metadata = services.cluster().state().metadata();
    List<Integer> slots = new ArrayList<>(items.size());
    boolean found = false;
    for (int slot = 0; slot < items.size(); slot++) {
      if (outcome(slot) == null) {
        slots.add(slot);
        boolean resolved = resolve(items.get(slot), metadata);
        touched[slot] |= resolved;
        found |= resolved;
      }
    }
    if (!found) {
      answer();
      return;
    }
    List<DocWriteRequest<?>> left = new ArrayList<>(slots.size());
    slots.forEach(slot -> left.add(items.get(slot)));
    services
        .ingest()
        .executeBulkRequest(
            left.size(),
            left,
            (place, cause) -> fail(slots.get(place), cause),
            this::onPassed,
            place -> drop(slots.get(place)),
            executor);
  }

  /** Whether pipelines apply to an item; notes them in it. */
  private boolean resolve(DocWriteRequest<?> item, Metadata metadata) {
    if (!(item instanceof UpdateRequest update)) {
      IndexRequest document = TransportBulkAction.getIndexWriteRequest(item);
      return document != null && services.ingest().resolvePipelines(item, document, metadata);
    }
    boolean found = false;
    IndexRequest upsert = update.upsertRequest();
    if (upsert != null) {
      found = services.ingest().resolvePipelines(item, upsert, metadata);
    }
    IndexRequest partial = update.doc();
    if (partial != null) {
      found |=
          update.docAsUpsert()
              ? services.ingest().resolvePipelines(item, partial, metadata)
              : services.ingest().resolveSystemIngestPipeline(item, partial, metadata);
    }
    return found;
  }

  private synchronized @Nullable ItemOutcome outcome(int slot) {
    return outcomes[slot];
  }

  /** As {@code BulkRequestModifier.markItemAsDropped}: the first outcome counts. */
  private synchronized void drop(int slot) {
    IndexRequest document = TransportBulkAction.getIndexWriteRequest(items.get(slot));
    if (outcomes[slot] == null) {
      outcomes[slot] =
          new ItemOutcome.Dropped(
              document.opType(),
              new UpdateResponse(
                  new ShardId(document.index(), IndexMetadata.INDEX_UUID_NA_VALUE, 0),
                  document.id() == null ? GENERATED_ID : document.id(),
                  SequenceNumbers.UNASSIGNED_SEQ_NO,
                  SequenceNumbers.UNASSIGNED_PRIMARY_TERM,
                  document.version(),
                  DocWriteResponse.Result.NOOP));
    }
  }

  /** As {@code BulkRequestModifier.markItemAsFailed}: the first outcome counts. */
  private synchronized void fail(int slot, Exception cause) {
    IndexRequest document = TransportBulkAction.getIndexWriteRequest(items.get(slot));
    if (outcomes[slot] == null) {
      try {
        outcomes[slot] =
            ItemOutcome.Failed.of(document.opType(), document.index(), document.id(), cause);
      } catch (IOException unwritable) {
        abort(unwritable);
      }
    }
  }

  /**
   * All items have passed their pipelines.
   *
   * @param original the thread that ran them; null with a failure of all
   */
  private void onPassed(@Nullable Thread original, @Nullable Exception failure) {
    if (failure != null) {
      abort(failure);
    } else if (Thread.currentThread().equals(original)) {
      continueRun();
    } else {
      services.threads().executor(executor).execute(new Continuation());
    }
  }

  /** Continues on a thread for writes, as a node does after an asynchronous processor. */
  private final class Continuation extends AbstractRunnable {
    @Override
    protected void doRun() {
      continueRun();
    }

    @Override
    public void onFailure(Exception cause) {
      abort(cause);
    }

    /** The request was admitted before its pipelines ran. */
    @Override
    public boolean isForceExecution() {
      return true;
    }
  }

  private void continueRun() {
    try {
      runNext();
    } catch (RuntimeException defect) {
      abort(defect);
    }
  }

  private void abort(Exception cause) {
    if (ended.compareAndSet(false, true)) {
      listener.onFailure(cause);
    }
  }

  private void answer() {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    List<ItemOutcome> all;
    synchronized (this) {
      for (int slot = 0; slot < outcomes.length; slot++) {
        if (outcomes[slot] == null) {
          outcomes[slot] =
              touched[slot]
                  ? new ItemOutcome.Changed(items.get(slot))
                  : new ItemOutcome.Unchanged();
        }
      }
      all = Arrays.asList(outcomes);
    }
    long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos);
    listener.onResponse(new RunPipelinesResponse(took, all));
  }
}
