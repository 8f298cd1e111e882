package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.MappingCache;
import dev.weir.model.PassThroughException;
import dev.weir.rest.PassThroughReasons;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.cluster.metadata.IndexAbstraction;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.IndexTemplateMetadata;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.metadata.MetadataIndexTemplateService;
import org.opensearch.common.settings.Settings;
import org.opensearch.index.IndexSettings;
import org.opensearch.ingest.IngestService;

/**
 * Finds out whether documents go through an ingest pipeline, by the rules of OpenSearch's {@code
 * IngestService.resolvePipelines}; pipelines run on nodes only. One that goes through none is
 * marked so, as a node marks it. Safe on any thread.
 *
 * <p>System pipelines are made by plugins from an index's mapping, out of the gateway's sight: an
 * index with a field of a type that is known to bring one counts as having it.
 */
final class IngestPipelineResolver {
  private static final String SEMANTIC_FIELD = "\"type\":\"semantic\"";

  /** Whether a mapping contains a system pipeline. */
  private final MappingCache<Boolean> systemPipelineByMapping =
      new MappingCache<>(mapping -> mapping.source().string().contains(SEMANTIC_FIELD), value -> 0);

  /** The pipelines of an index for every document; null names for none. */
  private record IndexPipelines(boolean hasDefault, boolean hasFinalOrSystem) {
    static final IndexPipelines NONE = new IndexPipelines(false, false);

    static IndexPipelines of(
        @Nullable String defaultName, @Nullable String finalName, boolean system) {
      return new IndexPipelines(isPipeline(defaultName), isPipeline(finalName) || system);
    }
  }

  /** A pass over the documents of one request; caches the pipelines of each index. */
  final class RequestPipelines {
    private final ClusterView view;
    private final Metadata metadata;
    private final boolean systemPipelines;
    private final Map<String, IndexPipelines> pipelinesByIndex = new HashMap<>();
    private @Nullable String lastIndex;
    private IndexPipelines lastPipelines = IndexPipelines.NONE;

    private RequestPipelines(ClusterView view) {
      this.view = view;
      this.metadata = view.state().metadata();
      this.systemPipelines = view.settings().get(IngestService.SYSTEM_INGEST_PIPELINE_ENABLED);
    }

    /** Whether a write goes through a pipeline; marks its documents when it does not. */
    boolean resolvePipeline(DocWriteRequest<?> write) {
      return switch (write) {
        case IndexRequest index -> indexHasPipeline(write, index);
        case UpdateRequest update -> updateHasPipeline(update);
        default -> false;
      };
    }

    /** Whether the index of a write has a pipeline, apart from the write's own. */
    boolean hasIndexPipeline(DocWriteRequest<?> write) {
      IndexMetadata index = indexOf(write, null);
      IndexPipelines found =
          index == null ? pipelinesOfTemplates(write.index()) : pipelinesOfIndex(index);
      return found.hasDefault() || found.hasFinalOrSystem();
    }

    private boolean updateHasPipeline(UpdateRequest update) {
      IndexRequest upsert = update.upsertRequest();
      if (upsert != null && indexHasPipeline(update, upsert)) {
        return true;
      }
      IndexRequest doc = update.doc();
      if (doc == null) {
        return false;
      }
      if (update.docAsUpsert()) {
        return indexHasPipeline(update, doc);
      }
      // a partial document goes through system pipelines alone
      if (systemPipelines && updateHasSystemPipeline(update)) {
        return true;
      }
      markResolved(doc);
      return false;
    }

    private boolean updateHasSystemPipeline(UpdateRequest update) {
      IndexMetadata index = indexOf(update, null);
      return index != null && hasSystemPipeline(index);
    }

    private boolean indexHasPipeline(DocWriteRequest<?> write, IndexRequest document) {
      IndexPipelines index = pipelinesOf(write, document);
      String requested = document.getPipeline();
      if (index.hasFinalOrSystem()
          || (requested == null ? index.hasDefault() : isPipeline(requested))) {
        return true;
      }
      markResolved(document);
      return false;
    }

    private IndexPipelines pipelinesOf(DocWriteRequest<?> write, IndexRequest document) {
      String name = write.index();
      if (name.equals(lastIndex)) {
        return lastPipelines;
      }
      IndexPipelines found = pipelinesByIndex.get(name);
      if (found == null) {
        IndexMetadata index = indexOf(write, document.index());
        if (index == null && document.index() == null) {
          return IndexPipelines.NONE; // an upsert does not name its index: no template is looked up
        }
        found = index == null ? pipelinesOfTemplates(name) : pipelinesOfIndex(index);
        pipelinesByIndex.put(name, found);
      }
      lastPipelines = found;
      lastIndex = name;
      return found;
    }

    private IndexPipelines pipelinesOfIndex(IndexMetadata index) {
      Settings settings = index.getSettings();
      return IndexPipelines.of(
          IndexSettings.DEFAULT_PIPELINE.get(settings),
          IndexSettings.FINAL_PIPELINE.get(settings),
          systemPipelines && hasSystemPipeline(index));
    }

    /** The pipelines that the templates define for an index that does not exist yet. */
    private IndexPipelines pipelinesOfTemplates(String name) {
      if (view.isPartial()) {
        throw new PassThroughException(PassThroughReasons.UNKNOWN_TEMPLATES);
      }
      String template = MetadataIndexTemplateService.findV2Template(metadata, name, false);
      if (template != null) {
        Settings settings = MetadataIndexTemplateService.resolveSettings(metadata, template);
        return IndexPipelines.of(
            IndexSettings.DEFAULT_PIPELINE.get(settings),
            IndexSettings.FINAL_PIPELINE.get(settings),
            systemPipelines && hasTemplateSystemPipeline(template, name));
      }
      return pipelinesOfLegacyTemplates(
          MetadataIndexTemplateService.findV1Templates(metadata, name, null));
    }

    /** Highest order first; the first template that names a pipeline of a kind counts. */
    private IndexPipelines pipelinesOfLegacyTemplates(List<IndexTemplateMetadata> templates) {
      String byDefault = null;
      String always = null;
      boolean system = false;
      for (IndexTemplateMetadata template : templates) {
        Settings settings = template.settings();
        if (byDefault == null && IndexSettings.DEFAULT_PIPELINE.exists(settings)) {
          byDefault = IndexSettings.DEFAULT_PIPELINE.get(settings);
        }
        if (always == null && IndexSettings.FINAL_PIPELINE.exists(settings)) {
          always = IndexSettings.FINAL_PIPELINE.get(settings);
        }
        system |=
            systemPipelines
                && template.mappings() != null
                && template.mappings().string().contains(SEMANTIC_FIELD);
      }
      return IndexPipelines.of(byDefault, always, system);
    }

    private boolean hasTemplateSystemPipeline(String template, String index) {
      try {
        return MetadataIndexTemplateService.collectMappings(view.state(), template, index).stream()
            .anyMatch(mapping -> mapping.string().contains(SEMANTIC_FIELD));
      } catch (Exception unreadable) {
        throw new PassThroughException(PassThroughReasons.INGEST_PIPELINE);
      }
    }

    private @Nullable IndexMetadata indexOf(
        DocWriteRequest<?> write, @Nullable String documentIndex) {
      IndexMetadata index = metadata.indices().get(write.index());
      if (index == null && documentIndex != null) {
        index = writeIndex(documentIndex);
      }
      return index == null ? writeIndex(write.index()) : index;
    }

    private @Nullable IndexMetadata writeIndex(String name) {
      IndexAbstraction abstraction = metadata.getIndicesLookup().get(name);
      return abstraction == null ? null : abstraction.getWriteIndex();
    }
  }

  /** Starts a pass over the documents of one request. */
  RequestPipelines forRequest(ClusterView view) {
    return new RequestPipelines(view);
  }

  /** Marks a document that no pipeline is left for. */
  static void markResolved(IndexRequest document) {
    document.setPipeline(IngestService.NOOP_PIPELINE_NAME);
    document.setFinalPipeline(IngestService.NOOP_PIPELINE_NAME);
    document.setSystemIngestPipeline(IngestService.NOOP_PIPELINE_NAME);
    document.isPipelineResolved(true);
  }

  private boolean hasSystemPipeline(IndexMetadata index) {
    MappingMetadata mapping = index.mapping();
    return mapping != null && systemPipelineByMapping.get(mapping);
  }

  private static boolean isPipeline(@Nullable String name) {
    return name != null && !IngestService.NOOP_PIPELINE_NAME.equals(name);
  }
}
