package dev.weir.node.generation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRunnable;
import org.opensearch.action.support.ActionFilters;
import org.opensearch.action.support.HandledTransportAction;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.inject.Inject;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.indices.IndicesService;
import org.opensearch.tasks.Task;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportService;

/**
 * Answers {@link ReaderGenerationsAction}: at once, on the thread that received the request, unless
 * it names more than {@value #MAX_INLINE_COPIES} copies. Reads no file.
 */
public final class TransportReaderGenerationsAction
    extends HandledTransportAction<ReaderGenerationsRequest, ReaderGenerationsResponse> {
  private static final int MAX_INLINE_COPIES = 64;

  private final CopyGenerationReader copies;
  private final ReaderNumbers numbers;
  private final Executor manyCopies;

  /** Registers the action; OpenSearch calls it. */
  @Inject
  public TransportReaderGenerationsAction(
      TransportService transportService,
      ActionFilters filters,
      IndicesService indices,
      ClusterService clusterService,
      ThreadPool threads,
      ReaderNumbers numbers) {
    super(ReaderGenerationsAction.NAME, transportService, filters, ReaderGenerationsRequest::new);
    this.copies = new CopyGenerationReader(indices, clusterService, numbers);
    this.numbers = numbers;
    this.manyCopies = threads.generic();
  }

  @Override
  protected void doExecute(
      Task task,
      ReaderGenerationsRequest request,
      ActionListener<ReaderGenerationsResponse> listener) {
    if (request.copyCount() > MAX_INLINE_COPIES) {
      manyCopies.execute(ActionRunnable.supply(listener, () -> answer(request)));
    } else {
      ActionListener.completeWith(listener, () -> answer(request));
    }
  }

  private ReaderGenerationsResponse answer(ReaderGenerationsRequest request) {
    List<@Nullable CopyGeneration> answers = new ArrayList<>();
    for (ReaderGenerationsRequest.IndexShards index : request.shardsByIndex()) {
      for (int shard : index.shards()) {
        answers.add(copies.read(new ShardId(index.index(), shard), request.fields()));
      }
    }
    return new ReaderGenerationsResponse(numbers.nodeRun(), answers);
  }
}
