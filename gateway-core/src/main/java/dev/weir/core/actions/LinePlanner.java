package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.core.actions.lines.ShardLines;
import dev.weir.core.actions.truncate.RequestTruncation;
import dev.weir.model.RequestResources;
import dev.weir.rest.bulk.BulkLines;
import dev.weir.rest.bulk.LineBulkRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.cluster.metadata.IndexAbstraction;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.common.util.RequestUtils;

/**
 * Plans a bulk of lines all at once: all documents go to one index that exists, and nothing but an
 * id is to be added to them. {@link BulkPlanner} plans all others, item by item.
 */
final class LinePlanner {
  private final DocumentActionServices tools;
  private final RequestResources resources;
  private final RequestTruncation truncation;
  private final ClusterView view;

  LinePlanner(
      DocumentActionServices tools,
      RequestResources resources,
      RequestTruncation truncation,
      ClusterView view) {
    this.tools = tools;
    this.resources = resources;
    this.truncation = truncation;
    this.view = view;
  }

  /** Returns the documents of each shard; null, without a change, for another bulk. */
  @Nullable List<ShardLines> plan(BulkRequest bulk) {
    BulkLines lines = bulk instanceof LineBulkRequest ordinary ? ordinary.lines() : null;
    IndexMetadata index = lines == null ? null : findIndex(lines);
    if (lines == null || index == null) {
      return null;
    }
    IndexRequest sample = lines.toRequest(0);
    if (tools.pipelineResolver().forRequest(view).resolvePipeline(sample)) {
      return null;
    }
    sample.process(index.getCreationVersion(), index.mapping(), index.getIndex().getName());
    lines.setPlanned(sample, RequestUtils::generateID);
    tools.lineBulks().record(lines.size());
    return ShardLines.group(lines, sample, index);
  }

  /** Returns the index; null if its documents need more than an id. */
  private @Nullable IndexMetadata findIndex(BulkLines lines) {
    IndexMetadata index = view.state().metadata().index(lines.index());
    IndexAbstraction named = view.state().metadata().getIndicesLookup().get(lines.index());
    MappingMetadata mapping = index == null ? null : index.mapping();
    return index == null
            || named == null
            || named.getType() != IndexAbstraction.Type.CONCRETE_INDEX
            || named.getParentDataStream() != null
            || index.getState() == IndexMetadata.State.CLOSE
            || index.isSystem()
            || index.isAppendOnlyIndex()
            || (mapping != null && mapping.routingRequired())
            || view.state().blocks().globalBlockedException(ClusterBlockLevel.WRITE) != null
            || resources.identity() != null // nodes authorize each user's items
            || resources.areDocumentsReplicated() // another cluster gets them as objects
            || truncation.covers(lines.index(), index)
            || tools
                .singleShardBulks()
                .mayDirect(index, lines.index(), lines.hasIds(), resources.policy())
        ? null
        : index;
  }
}
