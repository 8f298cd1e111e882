/**
 * A scripted node that speaks just enough of the transport protocol to be connected to, and then
 * answers well, badly or not at all; for tests of clients of nodes.
 *
 * <p>{@link dev.weir.testkit.fake.FakeNode} listens, a {@link dev.weir.testkit.fake.ReplyScript}
 * says which {@link dev.weir.testkit.fake.FakeReply} each request gets, {@link
 * dev.weir.testkit.fake.FakeReplies} has the answers. Plain sockets, one thread per connection;
 * frames are written by hand here, so that a mistake in the product's own framing cannot hide.
 */
@NullMarked
package dev.weir.testkit.fake;

import org.jspecify.annotations.NullMarked;
