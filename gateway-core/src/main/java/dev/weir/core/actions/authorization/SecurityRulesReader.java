package dev.weir.core.actions.authorization;

import dev.weir.core.actions.authorization.SecurityDocumentReader.Document;
import dev.weir.core.actions.authorization.SecurityDocumentReader.Version;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.MediaTypeRegistry;

/**
 * Reads the security configuration. What has not changed is not decoded again; what has is decoded
 * on a pool, because thousands of users take longer than an event loop may. Safe on any thread;
 * never blocks.
 */
final class SecurityRulesReader {
  private static final String CONFIG = "config";
  private static final String ROLES = "roles";
  private static final String INTERNAL_USERS = "internalusers";
  private static final List<String> ALLOW_LISTS = List.of("allowlist", "whitelist");
  private static final List<String> RULES =
      Stream.concat(Stream.of(CONFIG, ROLES), ALLOW_LISTS.stream()).toList();
  private static final List<String> RULES_AND_USERS =
      Stream.concat(RULES.stream(), Stream.of(INTERNAL_USERS)).toList();

  private final SecurityDocumentReader documents;
  private final Supplier<String> indexUuid;
  private final Executor decoders;

  /** The documents that the last rules were read from, and these rules. */
  private volatile @Nullable ParsedDocuments last;

  /** The rules with attributes of users that were read last. */
  private volatile @Nullable ParsedUsers lastUsers;

  /** Rules, and the documents that they were parsed from, which hold no secret. */
  private record ParsedDocuments(Map<String, BytesReference> sources, SecurityRules rules) {}

  /** The rules with and without attributes, and the version of a document with passwords. */
  private record ParsedUsers(UsersVersion version, SecurityRules before, SecurityRules rules) {}

  /** An index that is created again begins with the same versions, under another UUID. */
  private record UsersVersion(String indexUuid, @Nullable Version document) {}

  /**
   * Creates a reader.
   *
   * @param indexUuid of the index with the configuration, as far as the gateway knows it
   * @param decoders runs what takes long
   */
  SecurityRulesReader(
      SecurityDocumentReader documents, Supplier<String> indexUuid, Executor decoders) {
    this.documents = documents;
    this.indexUuid = indexUuid;
    this.decoders = decoders;
  }

  /** Reads the rules. The future completes on any thread, exceptionally if they are unreadable. */
  CompletableFuture<SecurityRules> read() {
    ParsedDocuments before = last;
    boolean needsUsers = before != null && !before.rules.attributes().roles().isEmpty();
    String uuid = indexUuid.get();
    return documents
        .read(needsUsers ? RULES_AND_USERS : RULES, Set.of(INTERNAL_USERS))
        .thenCompose(found -> {
          Document users = found.get(INTERNAL_USERS);
          UsersVersion version = new UsersVersion(uuid, users == null ? null : users.version());
          return rulesOf(sourcesOf(found, RULES), before)
              .thenCompose(rules -> withUsers(rules, version));
        });
  }

  private static Map<String, BytesReference> sourcesOf(
      Map<String, Document> found, List<String> ids) {
    Map<String, BytesReference> sources = new HashMap<>();
    for (String id : ids) {
      Document document = found.get(id);
      if (document != null) {
        sources.put(id, Objects.requireNonNull(document.source()));
      }
    }
    return sources;
  }

  private CompletableFuture<SecurityRules> rulesOf(
      Map<String, BytesReference> sources, @Nullable ParsedDocuments before) {
    if (before != null && before.sources.equals(sources)) {
      return CompletableFuture.completedFuture(before.rules);
    }
    return CompletableFuture.supplyAsync(
        () -> {
          SecurityRules rules = parse(sources);
          last = new ParsedDocuments(sources, rules);
          return rules;
        },
        decoders);
  }

  private static SecurityRules parse(Map<String, BytesReference> sources) {
    BytesReference config = sources.get(CONFIG);
    BytesReference roles = sources.get(ROLES);
    if (config == null || roles == null) {
      throw new IllegalArgumentException(
          "got no security configuration in " + SecurityDocumentReader.SECURITY_INDEX);
    }
    List<Map<String, Object>> allowLists = new ArrayList<>();
    for (String id : ALLOW_LISTS) {
      BytesReference list = sources.get(id);
      if (list != null) {
        allowLists.add(decode(id, list));
      }
    }
    return SecurityRules.parse(decode(CONFIG, config), decode(ROLES, roles), allowLists);
  }

  /** Adds the attributes of internal users, if a role reads any. */
  private CompletableFuture<SecurityRules> withUsers(SecurityRules rules, UsersVersion version) {
    if (rules.attributes().roles().isEmpty()) {
      return CompletableFuture.completedFuture(rules);
    }
    ParsedUsers before = lastUsers;
    if (before != null
        && version.document != null
        && before.version.equals(version)
        && before.before.equals(rules)) {
      return CompletableFuture.completedFuture(before.rules);
    }
    return documents
        .read(List.of(INTERNAL_USERS), Set.of())
        .thenApplyAsync(
            found -> {
              Document users = found.get(INTERNAL_USERS);
              if (users == null) {
                return rules;
              }
              SecurityRules read =
                  rules.withInternalUsers(
                      AttributeRules.parse(
                          decode(INTERNAL_USERS, Objects.requireNonNull(users.source()))));
              lastUsers =
                  new ParsedUsers(
                      new UsersVersion(version.indexUuid, users.version()), rules, read);
              return read;
            },
            decoders);
  }

  /** Decodes a document, which has one field, named as its id, with JSON in Base64. */
  private static Map<String, Object> decode(String id, BytesReference source) {
    Object encoded =
        XContentHelper.convertToMap(source, false, MediaTypeRegistry.JSON).v2().get(id);
    if (!(encoded instanceof String text)) {
      throw new IllegalArgumentException("got no text in document " + id);
    }
    return AuthenticatedUser.readJson(
        new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8));
  }
}
