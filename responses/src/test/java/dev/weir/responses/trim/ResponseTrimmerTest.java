package dev.weir.responses.trim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.config.policy.TrimmingPolicy;
import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.config.policy.TrimmingPolicy.Profile;
import dev.weir.config.policy.TrimmingPolicy.Rule;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ResponseOptions;
import dev.weir.model.ResponseOptions.HitParts;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.lucene.search.join.ScoreMode;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.index.query.InnerHitBuilder;
import org.opensearch.index.query.NestedQueryBuilder;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.builder.SearchSourceBuilder;

class ResponseTrimmerTest {
  private static final Profile ALL = new Profile(List.of(Part.values()), List.of(), List.of());
  private static final Profile TITLES =
      new Profile(List.of(Part.SCORE), List.of("title"), List.of("*.x"));

  private final PolicyCompiler<TrimmingPolicy> policies =
      new PolicyCompiler<>(
          new TrimmingPolicy(
              Map.of("all", ALL, "titles", TITLES),
              List.of(
                  new Rule("titles", List.of("my-*"), List.of("gold"), List.of()),
                  new Rule("all", List.of("*"), List.of(), List.of("logs-*")),
                  new Rule("titles", List.of(), List.of("thrifty*"), List.of()))));
  private final ResponseTrimmer trimming = new ResponseTrimmer(policies);
  private RequestPolicy policy = RequestPolicy.NONE;

  private final SearchSourceBuilder source = new SearchSourceBuilder();
  private final SearchRequest request = new SearchRequest(new String[] {"logs-1"}, source);

  private ResponseTrimSpec narrow(String trim, String userAgent, String tenant, HitParts read) {
    RequestContext context = new RequestContext(Runnable::run, Runnable::run, 1, Map.of(), tenant);
    context.resources().setPolicy(policy);
    context.search().setResponseOptions(new ResponseOptions(trim, userAgent, read));
    return trimming.narrow(request, context);
  }

  private ResponseTrimSpec ruled(String userAgent, String tenant) {
    return narrow("", userAgent, tenant, HitParts.ALL);
  }

  @Test
  void unknownClientIsNotTrimmedUnasked() {
    assertThat(ruled("", "_default")).isEqualTo(ResponseTrimSpec.NONE);
    assertThat(ruled("", "gold")).isEqualTo(ResponseTrimSpec.NONE);
    assertThat(source.fetchSource()).isNull();
  }

  @Test
  void rulesGoByAgentTenantAndIndicesTogether() {
    assertThat(ruled("my-app/1", "gold").counts().profile()).isEqualTo("titles");
    assertThat(ruled("my-app/1", "silver").counts().profile()).isEqualTo("all");
    assertThat(ruled("", "thrifty-2").counts().profile()).isEqualTo("titles");
    request.indices("logs-1", "metrics");
    assertThat(ruled("my-app/1", "silver")).isEqualTo(ResponseTrimSpec.NONE);
    request.indices();
    assertThat(ruled("my-app/1", "silver")).isEqualTo(ResponseTrimSpec.NONE);
  }

  @Test
  void useTheProfilesAndRulesOfTheRequestsPolicy() {
    Rule everybody = new Rule("all", List.of("*"), List.of(), List.of());
    RequestPolicies now =
        policies.compile(
            TrimmingPolicy.none(),
            Map.of("lean", new TrimmingPolicy(Map.of("all", ALL), List.of(everybody))),
            null);
    RequestPolicy lean = Objects.requireNonNull(now.namedPolicies().get("lean"));
    policy = now.defaultPolicy();
    assertThat(trimming.isClientDependent(lean)).isTrue();
    assertThat(trimming.isClientDependent(policy)).isFalse();
    assertThat(ruled("my-app/1", "gold")).isEqualTo(ResponseTrimSpec.NONE);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> narrow("all", "", "", HitParts.ALL))
        .withMessageContaining("got [trim] with [all]");
    RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
    context.search().setResponseOptions(new ResponseOptions("", "my-app/1", HitParts.ALL));
    context.resources().setPolicy(lean);
    assertThat(trimming.narrow(request, context).counts().profile()).isEqualTo("all");
    RequestContext part = context.newSubContext();
    part.search().setResponseOptions(new ResponseOptions("all", "", HitParts.ALL));
    assertThat(trimming.narrow(request, part).counts().profile()).isEqualTo("all");
  }

  @Test
  void preferTheRequestsOwnTrimming() {
    assertThat(narrow("none", "my-app", "gold", HitParts.ALL)).isEqualTo(ResponseTrimSpec.NONE);
    ResponseTrimSpec asked = narrow("shards,titles", "", "", HitParts.ALL);
    assertThat(asked.droppedParts()).containsExactlyInAnyOrder(Part.SHARDS, Part.SCORE);
    assertThat(asked.counts().profile()).isEqualTo("requested");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> narrow("shard", "", "", HitParts.ALL))
        .withMessageContaining("got [trim] with [shard] (expected: none, or of ")
        .withMessageContaining("titles")
        .withMessageContaining("max-score");
    assertThatIllegalArgumentException().isThrownBy(() -> narrow("shards,", "", "", HitParts.ALL));
  }

  @Test
  void keepPartsThatKnownClientsRead() {
    assertThat(ruled("opensearch-java/3.9.0 (Java/25)", "").droppedParts())
        .doesNotContain(Part.SHARDS, Part.INDEX, Part.ID)
        .contains(Part.SCORE);
    assertThat(ruled("Grafana/12.1", "").droppedParts())
        .doesNotContain(Part.HITS, Part.INDEX, Part.ID, Part.SOURCE, Part.SORT);
    assertThat(ruled("OpenSearch-Dashboards", "").droppedParts()).doesNotContain(Part.SHARDS);
    request.source(new SearchSourceBuilder());
    assertThat(ruled("curl/8", "").droppedParts()).containsExactlyInAnyOrder(Part.values());
  }

  /** An index with a mapping of {@code _source}. */
  private static IndexMetadata index(String name, String source) throws IOException {
    return IndexMetadata.builder(name)
        .settings(
            Settings.builder()
                .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                .put(IndexMetadata.SETTING_NUMBER_OF_SHARDS, 1)
                .put(IndexMetadata.SETTING_NUMBER_OF_REPLICAS, 0)
                .put(IndexMetadata.SETTING_INDEX_UUID, name))
        .putMapping("{\"_doc\": {" + source + "}}")
        .build();
  }

  private ResponseTrimSpec cutDown(ResponseTrimSpec trim, IndexMetadata... indices) {
    Metadata.Builder metadata = Metadata.builder();
    for (IndexMetadata index : indices) {
      metadata.put(index, false);
    }
    ClusterState state =
        ClusterState.builder(new ClusterName("test")).metadata(metadata.build()).build();
    return (ResponseTrimSpec)
        trimming.narrowDocuments(
            trim, request, state, Stream.of(indices).map(IndexMetadata::getIndex).toList());
  }

  @Test
  void fetchOnlyReadFieldsWithoutASourceFilter() throws IOException {
    IndexMetadata index = index("logs-1", "");
    ResponseTrimSpec fields = cutDown(narrow("titles", "", "", HitParts.ALL), index);
    assertThat(fields.sourceFilter()).isNotNull();
    assertThat(Objects.requireNonNull(source.fetchSource()).includes()).containsExactly("title");
    assertThat(source.fetchSource().excludes()).containsExactly("*.x");

    request.source(new SearchSourceBuilder().fetchSource(new String[] {"n"}, null));
    cutDown(narrow("titles,source", "", "", HitParts.ALL), index);
    assertThat(request.source().fetchSource().includes()).containsExactly("n");

    for (SearchSourceBuilder each :
        List.of(new SearchSourceBuilder().storedField("n"), new SearchSourceBuilder().size(0))) {
      request.source(each);
      cutDown(narrow("titles", "", "", HitParts.ALL), index);
      assertThat(request.source().fetchSource()).isNull();
    }
  }

  @Test
  void documentsAreNotCutDownWhereAnIndexKeepsNone() throws IOException {
    IndexMetadata keeps = index("a", "\"_source\": {\"excludes\": [\"b\"]}");
    IndexMetadata keepsToo = index("b", "\"_source\": {\"enabled\": true}");
    IndexMetadata sourceless = index("c", "\"_source\": {\"enabled\": false}");
    ResponseTrimSpec trim = narrow("titles", "", "", HitParts.ALL);
    assertThat(cutDown(trim, keeps, keepsToo)).isEqualTo(trim);
    assertThat(source.fetchSource()).isNotNull();
    for (int twice = 0; twice < 2; twice++) {
      ResponseTrimSpec whole = cutDown(trim, keeps, sourceless, keepsToo);
      assertThat(source.fetchSource()).isNull();
      assertThat(whole.sourceFilter()).isNull();
      assertThat(whole.droppedParts()).containsExactly(Part.SCORE);
    }
    assertThat(cutDown(trim)).isEqualTo(trim);
    assertThat(source.fetchSource()).isEqualTo(trim.sourceFilter());
  }

  @Test
  void keepTheRequestsOwnSourceFilter() {
    request.source(new SearchSourceBuilder().fetchSource("n", null));
    assertThat(narrow("source", "", "", HitParts.ALL)).isEqualTo(ResponseTrimSpec.NONE);
  }

  @Test
  void doNotFetchUnreadDocuments() {
    ResponseTrimSpec trim = narrow("", "", "", HitParts.NO_SOURCE);
    assertThat(trim.fetchedParts()).isEqualTo(HitParts.NO_SOURCE);
    assertThat(trim.counts().profile()).isEqualTo("filter_path");
    assertThat(Objects.requireNonNull(source.fetchSource()).fetchSource()).isFalse();
    assertThat(source.storedFields()).isNull();
    assertThat(narrow("", "", "", HitParts.NONE).fetchedParts()).isEqualTo(HitParts.NONE);
    assertThat(Objects.requireNonNull(source.storedFields()).fetchFields()).isFalse();
  }

  @Test
  void fetchPartsThatMayFail() {
    NestedQueryBuilder nested =
        QueryBuilders.nestedQuery("p", QueryBuilders.matchAllQuery(), ScoreMode.None)
            .innerHit(new InnerHitBuilder("i"));
    for (SearchSourceBuilder each :
        List.of(
            new SearchSourceBuilder().docValueField("n"),
            new SearchSourceBuilder().fetchField("n"),
            new SearchSourceBuilder().explain(true),
            new SearchSourceBuilder().storedField("n"),
            new SearchSourceBuilder().query(nested),
            new SearchSourceBuilder().postFilter(QueryBuilders.boolQuery().must(nested)))) {
      request.source(each);
      assertThat(narrow("", "", "", HitParts.NONE).fetchedParts()).isEqualTo(HitParts.NO_SOURCE);
    }
    for (SearchSourceBuilder each :
        List.of(
            new SearchSourceBuilder().fetchSource("n", null),
            new SearchSourceBuilder().profile(true),
            new SearchSourceBuilder().size(0))) {
      request.source(each);
      assertThat(narrow("", "", "", HitParts.NONE)).isEqualTo(ResponseTrimSpec.NONE);
    }
  }

  @Test
  void scrollsStayWhole() {
    request.scroll(TimeValue.timeValueSeconds(1));
    assertThat(narrow("all", "", "", HitParts.NONE)).isEqualTo(ResponseTrimSpec.NONE);
    assertThat(source.fetchSource()).isNull();
  }

  @Test
  void profilesOfAnotherPolicyAreUnknown() {
    policy = policies.compile("", TrimmingPolicy.none(), null);
    assertThat(ruled("my-app/1", "gold")).isEqualTo(ResponseTrimSpec.NONE);
    assertThatIllegalArgumentException().isThrownBy(() -> narrow("titles", "", "", HitParts.ALL));
  }
}
