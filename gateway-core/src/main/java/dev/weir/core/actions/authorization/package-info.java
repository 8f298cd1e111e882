/**
 * Mode {@code gateway} of a secured cluster: a node authorizes each kind of request once, with the
 * client's own credentials, and the gateway coordinates the request with the user that the node
 * named. Whatever is not proven to be equal passes through to a node.
 *
 * <pre>
 *   request ──► AuthenticationFilter ──► ... ──► AuthorizationFilter ──► action ──► IdentityGuard ──► nodes
 *               which user is it?                may the user do this?              is the user named?
 * </pre>
 *
 * Answers of nodes are cached for less than a second ({@link
 * dev.weir.core.actions.authorization.ShortLivedCache}). The request pipeline of {@code gateway}
 * calls the filters on event loops; nothing here blocks.
 */
@NullMarked
package dev.weir.core.actions.authorization;

import org.jspecify.annotations.NullMarked;
