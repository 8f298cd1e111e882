package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.rest.PassThroughReasons;
import dev.weir.model.PassThroughException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
final class WritePipelines {
  /** The reason in {@link PassThroughException}. */
  static final String INGEST_PIPELINE = "ingest-pipeline";

  private static final String SEMANTIC_FIELD = "\"type\":\"semantic\"";
  private static final int MOST_MAPPINGS = 50_000;

  private final Map<String, Mapping> mappings = new ConcurrentHashMap<>();

  /** What was found in a version of an index's mapping. */
  private record Mapping(long version, boolean bringsPipeline) {}

  /** What an index brings for every document; null names for none. */
  private record Brought(boolean byDefault, boolean always) {
    static final Brought NOTHING = new Brought(false, false);

    static Brought of(@Nullable String defaultName, @Nullable String finalName, boolean system) {
      return new Brought(isPipeline(defaultName), isPipeline(finalName) || system);
    }
  }

  /** A pass over the documents of one request; remembers what each index brings. */
  final class Pass {
    private final ClusterView view;
    private final Metadata metadata;
    private final boolean systemPipelines;
    private final Map<String, Brought> brought = new HashMap<>();
    private @Nullable String lastIndex;
    private Brought last = Brought.NOTHING;

    private Pass(ClusterView view) {
      this.view = view;
      this.metadata = view.state().metadata();
      this.systemPipelines = view.settings().get(IngestService.SYSTEM_INGEST_PIPELINE_ENABLED);
    }

    /** Whether a write goes through a pipeline; marks its documents when it does not. */
    boolean goesThroughOne(DocWriteRequest<?> write) {
      return switch (write) {
        case IndexRequest index -> indexGoesThroughOne(write, index);
        case UpdateRequest update -> updateGoesThroughOne(update);
        default -> false;
      };
    }

    /** Whether the index of a write brings a pipeline, whatever the write itself says. */
    boolean mayGoThroughOne(DocWriteRequest<?> write) {
      IndexMetadata index = indexOf(write, null);
      Brought found = index == null ? ofTemplates(write.index()) : of(index);
      return found.byDefault() || found.always();
    }

    private boolean updateGoesThroughOne(UpdateRequest update) {
      IndexRequest upsert = update.upsertRequest();
      if (upsert != null && indexGoesThroughOne(update, upsert)) {
        return true;
      }
      IndexRequest doc = update.doc();
      if (doc == null) {
        return false;
      }
      if (update.docAsUpsert()) {
        return indexGoesThroughOne(update, doc);
      }
      // a partial document goes through system pipelines alone
      if (systemPipelines && systemOnly(update)) {
        return true;
      }
      mark(doc);
      return false;
    }

    private boolean systemOnly(UpdateRequest update) {
      IndexMetadata index = indexOf(update, null);
      return index != null && bringsSystemPipeline(index);
    }

    private boolean indexGoesThroughOne(DocWriteRequest<?> write, IndexRequest document) {
      Brought index = brings(write, document);
      String requested = document.getPipeline();
      if (index.always() || (requested == null ? index.byDefault() : isPipeline(requested))) {
        return true;
      }
      mark(document);
      return false;
    }

    private static void mark(IndexRequest document) {
      document.setPipeline(IngestService.NOOP_PIPELINE_NAME);
      document.setFinalPipeline(IngestService.NOOP_PIPELINE_NAME);
      document.setSystemIngestPipeline(IngestService.NOOP_PIPELINE_NAME);
      document.isPipelineResolved(true);
    }

    private Brought brings(DocWriteRequest<?> write, IndexRequest document) {
      String name = write.index();
      if (name.equals(lastIndex)) {
        return last;
      }
      Brought found = brought.get(name);
      if (found == null) {
        IndexMetadata index = indexOf(write, document.index());
        if (index == null && document.index() == null) {
          return Brought.NOTHING; // an upsert does not say its index: no template is looked for
        }
        found = index == null ? ofTemplates(name) : of(index);
        brought.put(name, found);
      }
      last = found;
      lastIndex = name;
      return found;
    }

    private Brought of(IndexMetadata index) {
      Settings settings = index.getSettings();
      return Brought.of(
          IndexSettings.DEFAULT_PIPELINE.get(settings),
          IndexSettings.FINAL_PIPELINE.get(settings),
          systemPipelines && bringsSystemPipeline(index));
    }

    /** What the templates bring to an index that does not exist yet. */
    private Brought ofTemplates(String name) {
      if (view.lenient()) {
        throw new PassThroughException(PassThroughReasons.UNKNOWN_TEMPLATES);
      }
      String template = MetadataIndexTemplateService.findV2Template(metadata, name, false);
      if (template != null) {
        Settings settings = MetadataIndexTemplateService.resolveSettings(metadata, template);
        return Brought.of(
            IndexSettings.DEFAULT_PIPELINE.get(settings),
            IndexSettings.FINAL_PIPELINE.get(settings),
            systemPipelines && templateBringsSystemPipeline(template, name));
      }
      return ofOldTemplates(MetadataIndexTemplateService.findV1Templates(metadata, name, null));
    }

    /** Highest order first; the first that names a pipeline of a kind counts. */
    private Brought ofOldTemplates(List<IndexTemplateMetadata> templates) {
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
      return Brought.of(byDefault, always, system);
    }

    private boolean templateBringsSystemPipeline(String template, String index) {
      try {
        return MetadataIndexTemplateService.collectMappings(view.state(), template, index).stream()
            .anyMatch(mapping -> mapping.string().contains(SEMANTIC_FIELD));
      } catch (Exception unreadable) {
        throw new PassThroughException(INGEST_PIPELINE);
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

  /** Starts a pass over one request's documents. */
  Pass pass(ClusterView view) {
    return new Pass(view);
  }

  private boolean bringsSystemPipeline(IndexMetadata index) {
    Mapping known = mappings.get(index.getIndexUUID());
    if (known != null && known.version() == index.getMappingVersion()) {
      return known.bringsPipeline();
    }
    if (mappings.size() >= MOST_MAPPINGS) {
      mappings.clear();
    }
    MappingMetadata mapping = index.mapping();
    boolean brings = mapping != null && mapping.source().string().contains(SEMANTIC_FIELD);
    mappings.put(index.getIndexUUID(), new Mapping(index.getMappingVersion(), brings));
    return brings;
  }

  private static boolean isPipeline(@Nullable String name) {
    return name != null && !IngestService.NOOP_PIPELINE_NAME.equals(name);
  }
}
