/**
 * Request bodies: buffered whole, streamed in sections, spilled over to a node, transformed, and
 * charged to a budget. Knows neither requests nor connections; {@link
 * dev.weir.http.body.BodyContext} is all that it needs of them.
 *
 * <pre>
 *   BufferedBody --too long--> StreamedBody   the handler processes sections while they arrive
 *        |             `-----> SpilloverBody  goes to a node, no faster than the node takes it
 *        `--whole, for another cluster--> TransformedBody
 * </pre>
 *
 * The packages exchange, intake and proxy call it, each body on its request's event loop. Budgets
 * are shared by all event loops and safe on any thread.
 */
@NullMarked
package dev.weir.http.body;

import org.jspecify.annotations.NullMarked;
