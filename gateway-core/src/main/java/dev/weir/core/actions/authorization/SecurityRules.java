package dev.weir.core.actions.authorization;

import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the gateway needs to know of the security configuration. Immutable.
 *
 * @param isCoordinationSafe whether the gateway may authorize requests at all under it
 * @param indices which indices nodes treat in ways of their own
 * @param restrictedRoles roles with document- or field-level security or field masking
 * @param unprovenRoles those of them whose rules data nodes may not apply by themselves
 * @param attributes roles that read attributes of the user, and known attributes
 * @param credentials where nodes look for credentials and addresses of clients
 */
record SecurityRules(
    boolean isCoordinationSafe,
    IndexRules indices,
    Set<String> restrictedRoles,
    Set<String> unprovenRoles,
    AttributeRules attributes,
    CredentialPlaces credentials) {
  private static final String ATTRIBUTE = "attr";
  private static final String DOCUMENT_FILTER = "dls";

  private static final List<String> RESTRICTIONS = List.of(DOCUMENT_FILTER, "fls", "masked_fields");

  /**
   * Which indices nodes treat in ways of their own.
   *
   * @param areNarrowed whether nodes leave forbidden indices out of a search in place of a 403
   * @param dashboards the index of Dashboards, in whose place nodes use that of the user's tenant
   */
  record IndexRules(boolean areNarrowed, String dashboards) {
    private static final String USUAL_DASHBOARDS = ".kibana";

    private static IndexRules parse(Map<String, Object> dynamic) {
      boolean areNarrowed = isSet(dynamic.get("do_not_fail_on_forbidden"));
      return dynamic.get("kibana") instanceof Map<?, ?> settings
              && settings.get("index") instanceof String name
              && !name.isBlank()
          ? new IndexRules(areNarrowed, name)
          : new IndexRules(areNarrowed, USUAL_DASHBOARDS);
    }

    /** Whether a name is that of an index of Dashboards, or of a tenant's or a version's. */
    private boolean isOfDashboards(String name) {
      return name.startsWith(dashboards)
          && (name.length() == dashboards.length() || name.charAt(dashboards.length()) == '_');
    }
  }

  /**
   * Where nodes look for credentials and addresses of clients.
   *
   * @param parameters of the URI
   * @param headers in lower case, those of which the configuration says the names
   */
  record CredentialPlaces(Set<String> parameters, Set<String> headers) {
    static final CredentialPlaces NONE = new CredentialPlaces(Set.of(), Set.of());
  }

  /**
   * Reads the documents of the security index.
   *
   * @param config the document {@code config}
   * @param roles the document {@code roles}; roles built into the plugin are not in it, and have no
   *     restrictions
   * @param allowLists documents that may restrict REST paths; those that exist
   */
  static SecurityRules parse(
      Map<String, Object> config,
      Map<String, Object> roles,
      Collection<Map<String, Object>> allowLists) {
    Map<String, Object> dynamic = section(section(config, "config"), "dynamic");
    Set<String> restricted = new HashSet<>();
    Set<String> unproven = new HashSet<>();
    Set<String> byAttribute = new HashSet<>();
    roles.forEach((name, role) -> {
      if (role instanceof Map<?, ?> rules) {
        if (isRestricted(rules)) {
          restricted.add(name);
          if (!isAppliedByDataNodes(rules)) {
            unproven.add(name);
          }
        }
        if (mentionsAttribute(rules)) {
          byAttribute.add(name);
        }
      }
    });
    boolean isSafe =
        !isSet(dynamic.get("do_not_fail_on_forbidden_empty"))
            && !isSet(dynamic.get("disable_rest_auth"))
            && allowLists.stream().noneMatch(SecurityRules::isEnabled);
    return new SecurityRules(
        isSafe,
        IndexRules.parse(dynamic),
        Set.copyOf(restricted),
        Set.copyOf(unproven),
        new AttributeRules(Set.copyOf(byAttribute), Map.of()),
        new CredentialPlaces(
            texts(dynamic, "jwt_url_parameter"::equals),
            lowerCase(texts(dynamic, SecurityRules::namesHeader))));
  }

  /** Whether nodes leave forbidden indices out of a search in place of a 403. */
  boolean narrowsIndices() {
    return indices.areNarrowed;
  }

  /** Whether nodes, Dashboards or plugins may treat an index of this name in ways of their own. */
  boolean isSpecial(String name) {
    return name.startsWith(".") || indices.isOfDashboards(name);
  }

  /** Whether the user sees all documents and fields of the indices that it may read. */
  boolean isUnrestricted(AuthenticatedUser user) {
    return Collections.disjoint(user.roles(), restrictedRoles);
  }

  /** Whether data nodes leave out by themselves what the user may not see. */
  boolean isRestrictedByDataNodes(AuthenticatedUser user) {
    return Collections.disjoint(user.roles(), unprovenRoles);
  }

  /** Returns the same rules with the attributes of internal users. */
  SecurityRules withInternalUsers(Map<String, Map<String, String>> users) {
    return new SecurityRules(
        isCoordinationSafe,
        indices,
        restrictedRoles,
        unprovenRoles,
        new AttributeRules(attributes.roles(), users),
        credentials);
  }

  /** Whether the gateway knows all that nodes need to apply the user's roles. */
  boolean canName(AuthenticatedUser user) {
    return attributes.valuesOf(user) != null;
  }

  /** Returns what names a user in calls to nodes. The rules can name the user. */
  Map<String, String> headersOf(AuthenticatedUser user) {
    return user.headers().with(Objects.requireNonNull(attributes.valuesOf(user)));
  }

  /** Whether a request may carry credentials in its URI. */
  boolean mayHaveUrlCredentials(String uri) {
    int query = uri.indexOf('?');
    if (query < 0 || credentials.parameters.isEmpty()) {
      return false;
    }
    // an encoded name may be any name
    return uri.indexOf('%', query) >= 0
        || credentials.parameters.stream().anyMatch(name -> uri.indexOf(name, query) >= 0);
  }

  private static boolean isEnabled(Map<String, Object> list) {
    return list.values().stream()
        .anyMatch(part -> part instanceof Map<?, ?> settings && isSet(settings.get("enabled")));
  }

  /** Takes anything but false for true: a setting in a form that is not known is not ignored. */
  private static boolean isSet(@Nullable Object value) {
    return value != null && !Boolean.FALSE.equals(value) && !"false".equals(value);
  }

  private static boolean isRestricted(Map<?, ?> role) {
    if (!(role.get("index_permissions") instanceof Collection<?> permissions)) {
      return role.get("index_permissions") != null;
    }
    for (Object permission : permissions) {
      if (!(permission instanceof Map<?, ?> rules)) {
        return true;
      }
      for (String restriction : RESTRICTIONS) {
        Object value = rules.get(restriction);
        boolean isEmpty =
            value == null
                || (value instanceof String text && text.isBlank())
                || (value instanceof Collection<?> values && values.isEmpty());
        if (!isEmpty) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether each restriction of a role has a form in which data nodes apply it. */
  private static boolean isAppliedByDataNodes(Map<?, ?> role) {
    return role.get("index_permissions") instanceof Collection<?> permissions
        && permissions.stream()
            .allMatch(permission ->
                permission instanceof Map<?, ?> rules
                    && isAppliedByDataNodes(rules.get(DOCUMENT_FILTER))
                    && isList(rules.get("fls"))
                    && isList(rules.get("masked_fields")));
  }

  private static boolean isAppliedByDataNodes(@Nullable Object documentFilter) {
    return documentFilter == null
        || (documentFilter instanceof String query
            && (query.isBlank() || DocumentFilterQuery.isAppliedByDataNodes(query)));
  }

  private static boolean isList(@Nullable Object value) {
    return value == null || value instanceof Collection<?>;
  }

  private static boolean mentionsAttribute(@Nullable Object value) {
    return switch (value) {
      case String text -> text.contains("${") && text.contains(ATTRIBUTE);
      case Map<?, ?> map -> map.values().stream().anyMatch(SecurityRules::mentionsAttribute);
      case Collection<?> list -> list.stream().anyMatch(SecurityRules::mentionsAttribute);
      case null, default -> false;
    };
  }

  private static Set<String> texts(Object value, Predicate<String> isKey) {
    Set<String> found = new HashSet<>();
    collectTexts(value, isKey, found);
    return Set.copyOf(found);
  }

  /** Whether a key is such as {@code user_header}, {@code jwt_header} or {@code remoteIpHeader}. */
  private static boolean namesHeader(String key) {
    return key.toLowerCase(Locale.ROOT).contains("header");
  }

  private static Set<String> lowerCase(Set<String> texts) {
    return texts.stream()
        .map(text -> text.toLowerCase(Locale.ROOT))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static void collectTexts(
      @Nullable Object value, Predicate<String> isKey, Set<String> found) {
    if (value instanceof Map<?, ?> map) {
      map.forEach((name, inner) -> {
        if (isKey.test(String.valueOf(name)) && inner instanceof String text && !text.isEmpty()) {
          found.add(text);
        }
        collectTexts(inner, isKey, found);
      });
    } else if (value instanceof Collection<?> list) {
      list.forEach(inner -> collectTexts(inner, isKey, found));
    }
  }

  @SuppressWarnings("unchecked") // the keys of JSON objects are strings
  private static Map<String, Object> section(Map<String, Object> from, String key) {
    if (!(from.get(key) instanceof Map<?, ?> section)) {
      throw new IllegalArgumentException("got no object " + key + " in the security configuration");
    }
    return (Map<String, Object>) section;
  }
}
