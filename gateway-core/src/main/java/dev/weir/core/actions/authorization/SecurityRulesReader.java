package dev.weir.core.actions.authorization;

import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.get.GetResponse;
import org.opensearch.action.get.MultiGetAction;
import org.opensearch.action.get.MultiGetItemResponse;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.common.hash.MessageDigests;

/**
 * Reads the security configuration from the index in which the plugin keeps it, with the gateway's
 * own certificate, as nodes read it. Safe on any thread; never blocks.
 */
final class SecurityRulesReader {
  static final String SECURITY_INDEX = ".opendistro_security";
  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final String CONFIG = "config";
  private static final String ROLES = "roles";
  private static final String INTERNAL_USERS = "internalusers";
  private static final List<String> ALLOW_LISTS = List.of("allowlist", "whitelist");
  private static final List<String> RULES = List.of(CONFIG, ROLES, "allowlist", "whitelist");

  /** Marks a request of the cluster itself; nodes believe it from certificates of nodes alone. */
  private static final Map<String, String> HEADERS =
      Map.of("_opendistro_security_conf_request", "true");

  private final NodeClients nodes;
  private final AtomicInteger turn = new AtomicInteger();

  /** The documents that the last rules were read from, and these rules. */
  private volatile @Nullable ParsedDocuments last;

  /** The rules with attributes of users that were read last. */
  private volatile @Nullable ParsedUsers lastUsers;

  /** Rules, and the documents that they were parsed from. */
  private record ParsedDocuments(Map<String, String> documents, SecurityRules rules) {}

  /** The rules with and without attributes, and a hash in place of a document with passwords. */
  private record ParsedUsers(String hash, SecurityRules before, SecurityRules rules) {}

  SecurityRulesReader(NodeClients nodes) {
    this.nodes = nodes;
  }

  /** Reads the rules. The future completes on any thread, exceptionally if they are unreadable. */
  CompletableFuture<SecurityRules> read() {
    return readDocuments(RULES)
        .thenCompose(documents -> {
          SecurityRules rules = rulesOf(documents);
          return rules.attributes().roles().isEmpty()
              ? CompletableFuture.completedFuture(rules)
              : readDocuments(List.of(INTERNAL_USERS)).thenApply(users -> withUsers(rules, users));
        });
  }

  /** Reads documents, which have one field, named as the id, with JSON in Base64. */
  private CompletableFuture<Map<String, String>> readDocuments(List<String> ids) {
    CompletableFuture<Map<String, String>> documents = new CompletableFuture<>();
    List<? extends NodeClient> connected =
        nodes.all().stream().filter(NodeClient::isConnected).toList();
    if (connected.isEmpty()) {
      documents.completeExceptionally(NodeCallException.unknownNode("any"));
      return documents;
    }
    MultiGetRequest request = new MultiGetRequest();
    ids.forEach(id -> request.add(SECURITY_INDEX, id));
    connected
        .get(Math.floorMod(turn.getAndIncrement(), connected.size()))
        .send(
            new NodeCall<>(
                MultiGetAction.NAME,
                request,
                MultiGetAction.INSTANCE.getResponseReader(),
                ChannelKind.CONTROL,
                HEADERS,
                TIMEOUT),
            Runnable::run,
            new ReplyHandler<MultiGetResponse>() {
              @Override
              public void onReply(MultiGetResponse reply, ReplyFrame frame) {
                try {
                  documents.complete(documentsOf(reply));
                } catch (RuntimeException unreadable) {
                  documents.completeExceptionally(unreadable);
                }
              }

              @Override
              public void onFailure(NodeCallException failure) {
                documents.completeExceptionally(failure);
              }
            });
    return documents;
  }

  private SecurityRules withUsers(SecurityRules rules, Map<String, String> documents) {
    String users = documents.get(INTERNAL_USERS);
    if (users == null) {
      return rules;
    }
    String hash = hash(users);
    ParsedUsers before = lastUsers;
    if (before != null && before.before.equals(rules) && before.hash.equals(hash)) {
      return before.rules;
    }
    SecurityRules read =
        rules.withInternalUsers(AttributeRules.parse(AuthenticatedUser.readJson(users)));
    lastUsers = new ParsedUsers(hash, rules, read);
    return read;
  }

  private static String hash(String text) {
    return HexFormat.of()
        .formatHex(MessageDigests.sha256().digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  private SecurityRules rulesOf(Map<String, String> documents) {
    ParsedDocuments before = last;
    if (before != null && before.documents.equals(documents)) {
      return before.rules;
    }
    String config = documents.get(CONFIG);
    String roles = documents.get(ROLES);
    if (config == null || roles == null) {
      throw new IllegalArgumentException("got no security configuration in " + SECURITY_INDEX);
    }
    List<Map<String, Object>> allowLists = new ArrayList<>();
    for (String id : ALLOW_LISTS) {
      String list = documents.get(id);
      if (list != null) {
        allowLists.add(AuthenticatedUser.readJson(list));
      }
    }
    SecurityRules rules =
        SecurityRules.parse(
            AuthenticatedUser.readJson(config), AuthenticatedUser.readJson(roles), allowLists);
    last = new ParsedDocuments(documents, rules);
    return rules;
  }

  /** Returns the documents that exist, by id. */
  private static Map<String, String> documentsOf(MultiGetResponse reply) {
    Map<String, String> documents = new HashMap<>();
    for (MultiGetItemResponse item : reply) {
      if (item.isFailed()) {
        throw new IllegalArgumentException(item.getFailure().getMessage());
      }
      GetResponse document = item.getResponse();
      if (document.isExists()) {
        Object encoded = document.getSourceAsMap().get(document.getId());
        if (!(encoded instanceof String text)) {
          throw new IllegalArgumentException("got no text in document " + document.getId());
        }
        documents.put(
            document.getId(), new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8));
      }
    }
    return Map.copyOf(documents);
  }
}
