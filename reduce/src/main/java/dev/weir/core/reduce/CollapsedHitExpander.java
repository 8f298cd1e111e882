package dev.weir.core.reduce;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.index.query.BoolQueryBuilder;
import org.opensearch.index.query.InnerHitBuilder;
import org.opensearch.index.query.QueryBuilder;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.collapse.CollapseBuilder;
import org.opensearch.search.fetch.subphase.FetchSourceContext;
import org.opensearch.search.internal.InternalSearchResponse;

/** Searches for the inner hits of collapsed hits: the other hits of each group. */
final class CollapsedHitExpander {
  /** Heap bytes of a search for inner hits before it starts: its request, source and query. */
  private static final long BYTES_PER_SEARCH = 700;

  private CollapsedHitExpander() {}

  /** Returns whether the request asks for inner hits and the search found groups. */
  static boolean shouldExpand(SearchRequest request, InternalSearchResponse found) {
    return request.source() != null
        && request.source().collapse() != null
        && !request.source().collapse().getInnerHits().isEmpty()
        && found.hits().getHits().length > 0;
  }

  /**
   * Searches for the inner hits and adds them to the collapsed hits.
   *
   * @param memory reserves bytes for the searches, which all wait in memory; throws a {@link
   *     CircuitBreakingException} if there is not enough
   * @param done gets null, or the failure
   */
  static void expand(
      SearchRequest request,
      InternalSearchResponse found,
      LongConsumer memory,
      BiConsumer<MultiSearchRequest, ActionListener<MultiSearchResponse>> searches,
      Consumer<@Nullable Exception> done) {
    CollapseBuilder collapse = request.source().collapse();
    try {
      long groups = found.hits().getHits().length;
      memory.accept(groups * collapse.getInnerHits().size() * BYTES_PER_SEARCH);
    } catch (CircuitBreakingException full) {
      done.accept(full);
      return;
    }
    searches.accept(
        createSearches(request, collapse, found),
        new ActionListener<>() {
          @Override
          public void onResponse(MultiSearchResponse answers) {
            done.accept(attachInnerHits(found, collapse.getInnerHits(), answers));
          }

          @Override
          public void onFailure(Exception failure) {
            done.accept(failure);
          }
        });
  }

  private static MultiSearchRequest createSearches(
      SearchRequest request, CollapseBuilder collapse, InternalSearchResponse found) {
    MultiSearchRequest groups = new MultiSearchRequest();
    if (collapse.getMaxConcurrentGroupRequests() > 0) {
      groups.maxConcurrentSearchRequests(collapse.getMaxConcurrentGroupRequests());
    }
    for (SearchHit hit : found.hits().getHits()) {
      QueryBuilder group = groupQuery(request, collapse, hit);
      for (InnerHitBuilder inner : collapse.getInnerHits()) {
        SearchRequest search = new SearchRequest(request);
        search.source(innerHitSource(inner).query(group).postFilter(request.source().postFilter()));
        groups.add(search);
      }
    }
    return groups;
  }

  private static @Nullable Exception attachInnerHits(
      InternalSearchResponse found, List<InnerHitBuilder> inners, MultiSearchResponse answers) {
    Iterator<MultiSearchResponse.Item> items = answers.iterator();
    for (SearchHit hit : found.hits().getHits()) {
      for (InnerHitBuilder inner : inners) {
        MultiSearchResponse.Item item = items.next();
        if (item.isFailure()) {
          return item.getFailure();
        }
        Map<String, SearchHits> hanging = hit.getInnerHits();
        if (hanging == null) {
          hanging = new HashMap<>(inners.size());
          hit.setInnerHits(hanging);
        }
        try {
          hanging.put(inner.getName(), item.getResponse().getHits());
        } catch (CircuitBreakingException full) { // the hits could not become objects
          return full;
        }
      }
    }
    return null;
  }

  private static QueryBuilder groupQuery(
      SearchRequest request, CollapseBuilder collapse, SearchHit hit) {
    BoolQueryBuilder group = new BoolQueryBuilder();
    Object value = hit.field(collapse.getField()).getValue();
    if (value == null) {
      group.mustNot(QueryBuilders.existsQuery(collapse.getField()));
    } else {
      group.filter(QueryBuilders.matchQuery(collapse.getField(), value));
    }
    if (request.source().query() != null) {
      group.must(request.source().query());
    }
    return group;
  }

  private static SearchSourceBuilder innerHitSource(InnerHitBuilder inner) {
    SearchSourceBuilder source = new SearchSourceBuilder();
    source.from(inner.getFrom());
    source.size(inner.getSize());
    if (inner.getSorts() != null) {
      inner.getSorts().forEach(source::sort);
    }
    FetchSourceContext fetched = inner.getFetchSourceContext();
    if (fetched != null) {
      if (fetched.includes().length == 0 && fetched.excludes().length == 0) {
        source.fetchSource(fetched.fetchSource());
      } else {
        source.fetchSource(fetched.includes(), fetched.excludes());
      }
    }
    addFields(source, inner);
    if (inner.getHighlightBuilder() != null) {
      source.highlighter(inner.getHighlightBuilder());
    }
    source.explain(inner.isExplain());
    source.trackScores(inner.isTrackScores());
    source.version(inner.isVersion());
    source.seqNoAndPrimaryTerm(inner.isSeqNoAndPrimaryTerm());
    if (inner.getInnerCollapseBuilder() != null) {
      source.collapse(inner.getInnerCollapseBuilder());
    }
    return source;
  }

  private static void addFields(SearchSourceBuilder source, InnerHitBuilder inner) {
    if (inner.getFetchFields() != null) {
      inner.getFetchFields().forEach(field -> source.fetchField(field.field, field.format));
    }
    if (inner.getDocValueFields() != null) {
      inner.getDocValueFields().forEach(field -> source.docValueField(field.field, field.format));
    }
    if (inner.getStoredFieldsContext() != null
        && inner.getStoredFieldsContext().fieldNames() != null) {
      inner.getStoredFieldsContext().fieldNames().forEach(source::storedField);
    }
    if (inner.getScriptFields() != null) {
      inner
          .getScriptFields()
          .forEach(field -> source.scriptField(field.fieldName(), field.script()));
    }
  }
}
