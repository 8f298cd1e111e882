package dev.weir.node.columns;

import java.util.HashSet;
import java.util.Set;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.opensearch.index.query.ParsedQuery;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.StoredFieldsContext;
import org.opensearch.search.fetch.subphase.FieldAndFormat;
import org.opensearch.search.internal.SearchContext;

/**
 * Whether the hits of a search consist of their ids and of doc values alone, so that columns lose
 * nothing of them. Everything that a part of the fetch phase would add to a hit excludes columns.
 */
final class ColumnEligibility {
  /** Adds the slots of matching queries to hits; the class is in a module's class loader. */
  private static final String PERCOLATE_QUERY = "PercolateQuery";

  private static final String DEFAULT_FORMAT = "use_field_mapping";

  private ColumnEligibility() {}

  static boolean allows(SearchContext context) {
    SearchSourceBuilder source = context.request().source();
    return source != null
        && source.ext().isEmpty()
        && context.docValuesContext() != null
        && hasPlainNames(context)
        && isWithoutDocuments(context)
        && context.scrollContext() == null
        && context.getProfilers() == null
        && context.collapse() == null
        && context.fetchFieldsContext() == null
        && !context.hasScriptFields()
        && !context.explain()
        && !context.version()
        && !context.seqNoAndPrimaryTerm()
        && context.highlight() == null
        && context.innerHits().getInnerHits().isEmpty()
        && !(context.trackScores() && context.sort() != null)
        && hasNoNames(context.parsedQuery())
        && hasNoNames(context.parsedPostFilter())
        && !isPercolating(context.query());
  }

  /**
   * Fields of metadata, objects, a field with two formats, and the format {@code
   * use_field_mapping}, which the fetch phase warns of, are left to the fetch phase.
   */
  private static boolean hasPlainNames(SearchContext context) {
    Set<String> seen = new HashSet<>();
    for (FieldAndFormat field : context.docValuesContext().fields()) {
      if (field.field.startsWith("_")
          || DEFAULT_FORMAT.equals(field.format)
          || !seen.add(field.field)
          || context.mapperService().getObjectMapper(field.field) != null) {
        return false;
      }
    }
    return !seen.isEmpty();
  }

  private static boolean isWithoutDocuments(SearchContext context) {
    StoredFieldsContext stored = context.storedFieldsContext();
    if (stored == null) {
      return context.hasFetchSourceContext() && !context.sourceRequested();
    }
    return !context.sourceRequested() && (!stored.fetchFields() || stored.fieldNames().isEmpty());
  }

  private static boolean hasNoNames(ParsedQuery query) {
    return query == null || query.namedFilters().isEmpty();
  }

  private static boolean isPercolating(Query query) {
    boolean[] found = {false};
    query.visit(
        new QueryVisitor() {
          @Override
          public void visitLeaf(Query leaf) {
            found[0] |= leaf.getClass().getSimpleName().equals(PERCOLATE_QUERY);
          }
        });
    return found[0];
  }
}
