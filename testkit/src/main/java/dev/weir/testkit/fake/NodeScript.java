package dev.weir.testkit.fake;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.opensearch.transport.ActionNotFoundTransportException;

/**
 * A node that completes its handshakes, answers the actions it was told about, and tells for others
 * that it does not know them, as a node does.
 *
 * <pre>{@code
 * new NodeScript(FakeIdentity.named("a")).on("cluster:monitor/state", Answers.silence())
 * }</pre>
 */
public final class NodeScript implements Script {
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final Answer unknown;

  /** A node of that identity. */
  public NodeScript(FakeIdentity identity) {
    answers.put(FakeRequest.TCP_HANDSHAKE, Answers.reply(identity.tcpHandshake()));
    answers.put(FakeRequest.NODE_HANDSHAKE, Answers.replyOn(identity::nodeHandshake));
    this.unknown =
        (connection, request) ->
            Answers.error(new ActionNotFoundTransportException(request.action()))
                .give(connection, request);
  }

  /**
   * The same with an answer to an action, handshakes included; may be changed while the node runs.
   */
  public NodeScript on(String action, Answer answer) {
    answers.put(action, answer);
    return this;
  }

  @Override
  public Answer answer(FakeRequest request) {
    return answers.getOrDefault(request.action(), unknown);
  }
}
