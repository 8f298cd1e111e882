package dev.weir.responses.columnar;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.opensearch.Version;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.bytes.CompositeBytesReference;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.builder.SearchSourceBuilder;

/** Hits, mappings and output for the tests of columnar formats. */
final class ColumnarFixture {
  static final OutputFactory OUTPUTS = BytesStreamOutput::new;

  private ColumnarFixture() {}

  static SearchHit hit(String index, String id, String source) {
    SearchHit hit = new SearchHit(0, id, Map.of(), Map.of());
    hit.shard(new SearchShardTarget("n", new ShardId(new Index(index, "u"), 0), null, null));
    if (!source.isEmpty()) {
      hit.sourceRef(new BytesArray(source.getBytes(UTF_8)));
    }
    hit.score(Float.NaN);
    return hit;
  }

  static ResponseHits hits(SearchHit... hits) {
    return new ResponseHits.HitObjects(hits);
  }

  /** A cluster whose indices have these mappings, by name. */
  static ClusterViewSource cluster(Map<String, String> propertiesByIndex) {
    Metadata.Builder metadata = Metadata.builder();
    propertiesByIndex.forEach((name, properties) -> {
      Settings settings =
          Settings.builder()
              .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
              .put(IndexMetadata.SETTING_NUMBER_OF_SHARDS, 1)
              .put(IndexMetadata.SETTING_NUMBER_OF_REPLICAS, 0)
              .build();
      try {
        metadata.put(
            IndexMetadata.builder(name)
                .settings(settings)
                .putMapping("{\"properties\":" + properties + "}"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
    ClusterState state =
        ClusterState.builder(new ClusterName("test")).metadata(metadata.build()).build();
    ClusterView view = new ClusterView(state, Map.of(), 0, false);
    return new ClusterViewSource() {
      @Override
      public ClusterView current() {
        return view;
      }

      @Override
      public CompletionStage<ClusterView> refresh(ClusterView stale) {
        return CompletableFuture.completedStage(view);
      }
    };
  }

  static MappedFields mapping(String properties) {
    return new MappedFieldsCache(cluster(Map.of("docs", properties))).fieldsOf("docs");
  }

  static TableStream open(
      TableStreamFactory.StreamFormat format,
      SearchSourceBuilder search,
      Map<String, String> propertiesByIndex) {
    return new TableStreamFactory(cluster(propertiesByIndex))
        .open(format, search, List.copyOf(propertiesByIndex.keySet()), List.of());
  }

  static String text(List<BytesReference> parts) {
    return CompositeBytesReference.of(parts.toArray(BytesReference[]::new)).utf8ToString();
  }

  static String page(TableStream table, ResponseHits hits, Map<String, String> metadata)
      throws IOException {
    return text(table.writePage(hits, hits.count(), metadata, OUTPUTS));
  }
}
