package dev.weir.core.actions.authorization;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether data nodes apply the query of a role's document-level security by themselves. They
 * don't where it looks up terms in other documents: the coordinating node has to add such a query
 * to the search. A query of a kind that is not listed here counts as one of these. Pure.
 */
final class DocumentFilterQuery {
  /** Queries about fields of the document alone. */
  private static final Set<String> FIELD_QUERIES =
      Set.of(
          "match_all",
          "match_none",
          "term",
          "match",
          "match_phrase",
          "prefix",
          "wildcard",
          "exists",
          "ids",
          "range");

  private static final Set<String> BOOL_CLAUSES = Set.of("must", "should", "must_not", "filter");

  private static final Set<String> BOOL_PARAMETERS =
      Set.of("minimum_should_match", "boost", "_name", "adjust_pure_negative");

  private DocumentFilterQuery() {}

  /**
   * Tells it of a query as a role contains it.
   *
   * @param query JSON; variables such as {@code ${user.name}} stand for text without quotes
   */
  static boolean isAppliedByDataNodes(String query) {
    String filled = query.replaceAll("\\$\\{[^}]*}", "0");
    if (filled.contains("${") || filled.indexOf('\\') >= 0) {
      return false;
    }
    try {
      return isKnown(AuthenticatedUser.readJson(filled));
    } catch (RuntimeException unreadable) {
      return false;
    }
  }

  private static boolean isKnown(Object query) {
    if (!(query instanceof Map<?, ?> map) || map.size() != 1) {
      return false;
    }
    Map.Entry<?, ?> only = map.entrySet().iterator().next();
    String kind = String.valueOf(only.getKey());
    if (FIELD_QUERIES.contains(kind)) {
      return true;
    }
    if (!(only.getValue() instanceof Map<?, ?> body)) {
      return false;
    }
    return switch (kind) {
      case "terms" -> body.values().stream().noneMatch(value -> value instanceof Map);
      case "bool" -> body.entrySet().stream().allMatch(DocumentFilterQuery::isKnownClause);
      case "constant_score" -> body.size() == 1 && isKnown(orEmpty(body.get("filter")));
      default -> false;
    };
  }

  private static boolean isKnownClause(Map.Entry<?, ?> clause) {
    String name = String.valueOf(clause.getKey());
    if (BOOL_PARAMETERS.contains(name)) {
      return true;
    }
    Collection<?> queries =
        clause.getValue() instanceof Collection<?> list
            ? list
            : List.of(orEmpty(clause.getValue()));
    return BOOL_CLAUSES.contains(name) && queries.stream().allMatch(DocumentFilterQuery::isKnown);
  }

  private static Object orEmpty(@Nullable Object value) {
    return value == null ? Map.of() : value;
  }
}
