package dev.weir.core.actions.passthrough;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.PassThroughException;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.xcontent.LoggingDeprecationHandler;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.search.builder.SearchSourceBuilder;

class ReduceScriptDetectorTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  private static SearchSourceBuilder source(String aggregations) throws IOException {
    String body = "{\"size\":0,\"aggs\":" + aggregations + "}";
    try (XContentParser parser =
        XContentType.JSON
            .xContent()
            .createParser(REGISTRIES.xContents(), LoggingDeprecationHandler.INSTANCE, body)) {
      return SearchSourceBuilder.fromXContent(parser);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        {"m":{"scripted_metric":{"map_script":"1","combine_script":"1","reduce_script":"1"}}}\
        """,
        """
        {"d":{"terms":{"field":"a"},"aggs":{"s":{"terms":{"field":"b"},"aggs":{
          "m":{"scripted_metric":{"map_script":"1","combine_script":"1","reduce_script":"1"}}}}}}}\
        """,
        """
        {"d":{"terms":{"field":"a"},"aggs":{"p":{"bucket_script":{
          "buckets_path":{"c":"_count"},"script":"params.c"}}}}}\
        """,
        """
        {"d":{"terms":{"field":"a"},"aggs":{"p":{"bucket_script":{
          "buckets_path":{"c":"_count"},"script":{"id":"stored"}}}}}}\
        """,
        """
        {"d":{"terms":{"field":"a"},"aggs":{"p":{"bucket_selector":{
          "buckets_path":{"c":"_count"},"script":"params.c > 1"}}}}}\
        """,
        """
        {"d":{"histogram":{"field":"a","interval":1},"aggs":{"p":{"moving_fn":{
          "buckets_path":"_count","window":3,"script":"MovingFunctions.max(values)"}}}}}\
        """,
        """
        {"s":{"significant_terms":{"field":"a","script_heuristic":{"script":"params._subset_freq"}}}}\
        """,
        """
        {"s":{"significant_text":{"field":"a","script_heuristic":{"script":"params._subset_freq"}}}}\
        """
      })
  void findScriptsOfReductions(String aggregations) throws IOException {
    SearchSourceBuilder source = source(aggregations);

    assertThat(ReduceScriptDetector.hasScript(source.aggregations())).isTrue();
    assertThatThrownBy(() -> SearchPassThroughChecker.check(new SearchRequest("i").source(source)))
        .isInstanceOf(PassThroughException.class)
        .hasMessage("script");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        {"a":{"avg":{"script":"doc['a'].value"}},"t":{"terms":{"script":"doc['a'].value"}}}\
        """,
        """
        {"d":{"histogram":{"field":"a","interval":1},"aggs":{
          "s":{"bucket_sort":{"size":3}},"p":{"derivative":{"buckets_path":"_count"}}}}}\
        """,
        """
        {"s":{"significant_terms":{"field":"a","gnd":{}}}}\
        """
      })
  void leaveScriptsOfShardsToTheirNodes(String aggregations) throws IOException {
    assertThat(ReduceScriptDetector.hasScript(source(aggregations).aggregations())).isFalse();
  }

  @Test
  void acceptSearchesWithoutAggregations() {
    assertThat(ReduceScriptDetector.hasScript(null)).isFalse();
  }
}
