package dev.muster.gateway;

import dev.muster.Gateway;
import dev.muster.access.Caller;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.internal.HttpGateway;
import dev.muster.gateway.internal.auth.CredentialsAuthentication;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateway and the dashboard as a servlet of the program's own web server, below a path such as {@code /muster/*}; it has to support
 * asynchronous requests. {@link #gateway} belongs into the builder of the Muster, which opens and drains it.
 *
 * <p>The web server lets requests in, and {@link GatewayCallers} says who they are from. Because browsers then send what proves it by
 * themselves, requests of web pages of another origin are refused.
 */
public final class GatewayServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    /** The name by which a web server has to know it, so that {@link #showsKey} finds it. */
    public static final String NAME = "muster";

    /** The attribute of a request in which its caller stands. Clients cannot send attributes. */
    public static final String CALLER = "dev.muster.gateway.caller";

    private static final Logger log = LoggerFactory.getLogger(GatewayServlet.class);

    private final transient HttpGateway gateway;
    private final transient GatewayCallers callers;

    public GatewayServlet(MusterConfig config, GatewayCallers callers) {
        this.gateway = new HttpGateway(config, false);
        this.callers = callers;
    }

    /**
     * Whether this request calls the API of the servlet {@value #NAME} and shows an API key or a token. The web server's security may let such
     * a request pass without a login, because what it shows decides alone: the gateway answers 401 if that is wrong, whoever is logged in.
     * Requests to other servlets, and for the dashboard's own page, are none of these, whatever they show; nor is one with a bearer token by
     * which the web server itself knows the user.
     */
    public static boolean showsKey(HttpServletRequest request) {
        String path = request.getPathInfo();
        return NAME.equals(request.getHttpServletMapping().getServletName())
                && path != null
                && (path.startsWith("/_api/") || request.getMethod().equals("POST"))
                && (CredentialsAuthentication.isKeyShownIn(request::getHeader)
                        || request.getUserPrincipal() == null
                                && CredentialsAuthentication.isShownIn(request::getHeader));
    }

    /** What the builder of the Muster takes. */
    public Gateway gateway() {
        return gateway;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        if (request.getPathInfo() == null) {
            // The addresses in the page are relative to its folder.
            response.sendRedirect(request.getContextPath() + request.getServletPath() + "/");
            return;
        }
        Servlet opened = gateway.servlet();
        if (opened == null) {
            refuse(response, 503, "starting", "this node has not started");
            return;
        }
        // Who shows a key may have been let in for that alone, past what the application demands of its users.
        Optional<Caller> caller = showsKey(request) ? Optional.empty() : callers.callerOf(request);
        Optional<String> problem = caller.flatMap(Caller::problem);
        if (problem.isPresent()) {
            log.error("a caller that the application has named is refused: {}", problem.get());
            refuse(
                    response,
                    403,
                    "forbidden",
                    "the application names you in a way that the gateway refuses; its log says why");
            return;
        }
        if (caller.isPresent() && isOfAnotherOrigin(request)) {
            refuse(response, 403, "forbidden", "the gateway answers no web page of another origin");
            return;
        }
        request.removeAttribute(CALLER);
        caller.ifPresent(known -> request.setAttribute(CALLER, known));
        opened.service(new BelowPath(request), response);
    }

    /**
     * Browsers say it in one header or the other; other programs have no origin, and send nothing by themselves. Who follows a link from
     * another page, or comes back from the page of a login, opens this one: the other page sees nothing of it.
     */
    private static boolean isOfAnotherOrigin(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        if (site != null) {
            return !site.equals("same-origin") && !site.equals("none") && !opensPage(request);
        }
        String origin = request.getHeader("Origin");
        return origin != null && !isOwn(origin, request);
    }

    private static boolean opensPage(HttpServletRequest request) {
        return request.getMethod().equals("GET")
                && "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
                && "document".equals(request.getHeader("Sec-Fetch-Dest"));
    }

    /** Servers behind a proxy that ends TLS know the host and the port by which the browser calls them, but not always the scheme. */
    private static boolean isOwn(String origin, HttpServletRequest request) {
        try {
            URI page = URI.create(origin);
            String host = page.getHost();
            if (host == null || !host.equalsIgnoreCase(request.getServerName())) {
                return false;
            }
            int port = request.getServerPort();
            return page.getPort() == -1 ? port == 80 || port == 443 : page.getPort() == port;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static void refuse(HttpServletResponse response, int status, String code, String message)
            throws IOException {
        response.setStatus(status);
        response.setContentType("application/json");
        response.getOutputStream()
                .write(("{\"success\":false,\"error\":{\"code\":\"" + code + "\",\"message\":\"" + message + "\"}}")
                        .getBytes(StandardCharsets.UTF_8));
    }

    /** Counts the path of the servlet to what the routes do not see. */
    private static final class BelowPath extends HttpServletRequestWrapper {
        private final String before;

        BelowPath(HttpServletRequest request) {
            super(request);
            this.before = request.getContextPath() + request.getServletPath();
        }

        @Override
        public String getContextPath() {
            return before;
        }

        @Override
        public String getServletPath() {
            return "";
        }
    }
}
