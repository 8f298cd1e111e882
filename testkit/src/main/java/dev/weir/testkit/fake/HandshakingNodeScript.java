package dev.weir.testkit.fake;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.opensearch.transport.ActionNotFoundTransportException;

/**
 * A node that completes its handshakes, answers the actions it was told about, and tells for others
 * that it does not know them, as a node does.
 *
 * <pre>{@code
 * new HandshakingNodeScript(FakeIdentity.named("a")).on("cluster:monitor/state", Answers.silence())
 * }</pre>
 */
public final class HandshakingNodeScript implements ReplyScript {
  private final Map<String, FakeReply> answers = new ConcurrentHashMap<>();
  private final FakeReply unknown;

  /** A node of that identity. */
  public HandshakingNodeScript(FakeIdentity identity) {
    answers.put(FakeRequest.TCP_HANDSHAKE, FakeReplies.reply(identity.tcpHandshake()));
    answers.put(FakeRequest.NODE_HANDSHAKE, FakeReplies.replyFor(identity::nodeHandshake));
    this.unknown =
        (connection, request) ->
            FakeReplies.error(new ActionNotFoundTransportException(request.action()))
                .send(connection, request);
  }

  /**
   * The same with an answer to an action, handshakes included; may be changed while the node runs.
   */
  public HandshakingNodeScript on(String action, FakeReply answer) {
    answers.put(action, answer);
    return this;
  }

  @Override
  public FakeReply answer(FakeRequest request) {
    return answers.getOrDefault(request.action(), unknown);
  }
}
