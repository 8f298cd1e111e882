/**
 * The building blocks of admin pages: pages, responses, JSON trees, and the registry that features
 * add their pages to. The admin server itself is in module {@code gateway}. Pages run on virtual
 * threads, several at once.
 */
@NullMarked
package dev.weir.observe.admin;

import org.jspecify.annotations.NullMarked;
