//! Tokens of those who keep code, packages, builds and other people's secrets.

use std::ops::Range;

use super::value;
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;
use Finder::{Anchored, Named, Shapes};

const UUID: &str = "{h:8}-{h:4}-{h:4}-{h:4}-{h:12}";

pub(super) const RULES: &[Rule] = &[
    Rule::secret(
        "github-token",
        "GITHUB_TOKEN",
        "A token of GitHub's.",
        Shapes(&[
            "ghp_{a:36..251}",
            "gho_{a:36..251}",
            "ghu_{a:36..251}",
            "ghs_{a:36..251}",
            "ghr_{a:36..251}",
            "github_pat_{w:36..}",
        ]),
    ),
    Rule::secret(
        "gitlab-token",
        "GITLAB_TOKEN",
        "A token of GitLab's.",
        Shapes(&[
            "glpat-{t:20..}",
            "gldt-{w:20..}",
            "glrt-{t:20..}",
            "glrtr-{w:20..}",
            "glptt-{h:40}",
            "glft-{w:20..}",
            "glsoat-{w:20..}",
            "glcbt-{t:20..2048}",
            "glimt-{w:20..}",
            "glagent-{w:40..}",
            "gloas-{w:64}",
            "glffct-{w:20..}",
            "GR1348941{w:20}",
        ]),
    ),
    Rule::secret(
        "bitbucket-token",
        "BITBUCKET_TOKEN",
        "A token of Bitbucket's.",
        Shapes(&["ATBB{a:32}", "ATCTT3{t:100..2048}"]),
    ),
    Rule::secret(
        "bitbucket-secret",
        "BITBUCKET_SECRET",
        "A client id or secret of Bitbucket's, beside its name.",
        Named {
            names: &["bitbucket"],
            shapes: &["{a:32}", "{w:64}"],
        },
    ),
    Rule::secret(
        "npm-token",
        "NPM_TOKEN",
        "A token for npm.",
        Shapes(&["npm_{a:36}"]),
    ),
    Rule::secret(
        "pypi-token",
        "PYPI_TOKEN",
        "A token for PyPI.",
        Shapes(&["pypi-AgE{w:40..}", "pypi-{w:80..}"]),
    ),
    Rule::secret(
        "rubygems-key",
        "RUBYGEMS_KEY",
        "A key for RubyGems.",
        Shapes(&["rubygems_{h:48}"]),
    ),
    Rule::secret(
        "crates-token",
        "CRATES_TOKEN",
        "A token for crates.io.",
        Shapes(&["cio{a:32}"]),
    ),
    Rule::secret(
        "nuget-key",
        "NUGET_KEY",
        "A key for NuGet.",
        Shapes(&["oy2{l:43}"]),
    ),
    Rule::secret(
        "clojars-token",
        "CLOJARS_TOKEN",
        "A token for Clojars.",
        Shapes(&["CLOJARS_{l:60}"]),
    ),
    Rule::secret(
        "docker-token",
        "DOCKER_TOKEN",
        "A token of Docker's.",
        Shapes(&["dckr_pat_{w:24..40}", "dckr_oat_{w:24..40}"]),
    ),
    Rule::secret(
        "circleci-token",
        "CIRCLECI_TOKEN",
        "A token of CircleCI's.",
        Shapes(&["CCIPAT_{a:22}_{h:40}", "CCIPRJ_{a:22}_{h:40}"]),
    ),
    Rule::secret(
        "buildkite-token",
        "BUILDKITE_TOKEN",
        "A token of Buildkite's.",
        Shapes(&["bkua_{h:40}"]),
    ),
    Rule::secret(
        "build-token",
        "BUILD_TOKEN",
        "A token of Travis, Codecov, Drone or Snyk, beside its name.",
        Named {
            names: &["travis", "codecov", "droneci", "drone_", "snyk"],
            shapes: &["{w:22}", "{a:32}", "{h:8}-{h:4}-{h:4}-{h:4}-{h:12}"],
        },
    ),
    Rule::secret(
        "sonar-token",
        "SONAR_TOKEN",
        "A token of Sonar's.",
        Shapes(&["sqp_{h:40}", "squ_{h:40}", "sqa_{h:40}"]),
    ),
    Rule::secret(
        "sonar-key",
        "SONAR_TOKEN",
        "An older token of Sonar's, beside its name.",
        Named {
            names: &["sonar"],
            shapes: &["{t:40}"],
        },
    ),
    Rule::secret(
        "jfrog-key",
        "JFROG_KEY",
        "A key of Artifactory's.",
        Shapes(&["AKCp{a:60..80}", "cmVmd{a:59}"]),
    ),
    Rule::secret(
        "vault-token",
        "VAULT_TOKEN",
        "A token of HashiCorp Vault's.",
        Shapes(&["hvs.{w:24..2048}", "hvb.{w:90..2048}", "hvr.{w:90..2048}"]),
    ),
    Rule::secret(
        "vault-old-token",
        "VAULT_TOKEN",
        "An older token of HashiCorp Vault's, beside its name.",
        Named {
            names: &["vault"],
            shapes: &["s.{a:24}", "b.{a:90..2048}"],
        },
    ),
    Rule::secret(
        "terraform-token",
        "TERRAFORM_TOKEN",
        "A token of Terraform Cloud's.",
        Anchored {
            anchors: &[".atlasv1."],
            find: terraform,
        },
    ),
    Rule::secret(
        "pulumi-token",
        "PULUMI_TOKEN",
        "A token of Pulumi's.",
        Shapes(&["pul-{h:40}"]),
    ),
    Rule::secret(
        "doppler-token",
        "DOPPLER_TOKEN",
        "A token of Doppler's.",
        Shapes(&[
            "dp.pt.{a:40..44}",
            "dp.ct.{a:40..44}",
            "dp.st.{a:40..44}",
            "dp.st.{w:2..35}.{a:40..44}",
            "dp.sa.{a:40..44}",
            "dp.scim.{a:40..44}",
            "dp.audit.{a:40..44}",
        ]),
    ),
    Rule::secret(
        "onepassword-token",
        "ONEPASSWORD_TOKEN",
        "A token for service accounts at 1Password.",
        Shapes(&["ops_eyJ{b:100..2048}"]),
    ),
    Rule::secret(
        "age-key",
        "AGE_KEY",
        "A private key of age's.",
        Shapes(&["AGE-SECRET-KEY-1{u:58}", "AGE-PLUGIN-{U:2..20}-1{u:58..}"]),
    ),
    Rule::secret(
        "postman-key",
        "POSTMAN_KEY",
        "A key of Postman's.",
        Shapes(&["PMAK-{h:24}-{h:34}"]),
    ),
    Rule::secret(
        "prefect-token",
        "PREFECT_TOKEN",
        "A token of Prefect's.",
        Shapes(&["pnu_{a:36}", "pnb_{a:36}"]),
    ),
    Rule::secret(
        "kubernetes-secret",
        "KUBERNETES_TOKEN",
        "A bootstrap token of a cluster's, beside its name.",
        Named {
            names: &["kubeadm", "bootstrap-token", "bootstrap_token"],
            shapes: &["{l:6}.{l:16}"],
        },
    ),
    Rule::secret(
        "gitlab-session",
        "GITLAB_SESSION",
        "The session of somebody at GitLab.",
        Shapes(&["_gitlab_session={h:32}"]),
    ),
    Rule::secret(
        "sourcegraph-token",
        "SOURCEGRAPH_TOKEN",
        "A token of Sourcegraph's.",
        Shapes(&[
            "sgp_{h:40}",
            "sgp_local_{h:40}",
            "sgp_{h:16}_{h:40}",
            "slk_{h:64}",
        ]),
    ),
    Rule::secret(
        "harness-token",
        "HARNESS_TOKEN",
        "A token of Harness'.",
        Shapes(&["pat.{w:22}.{a:24}.{a:20}", "sat.{w:22}.{a:24}.{a:20}"]),
    ),
    Rule::secret(
        "octopus-key",
        "OCTOPUS_KEY",
        "A key of Octopus Deploy's.",
        Shapes(&["API-{u:25..27}"]),
    ),
    Rule::secret(
        "openshift-token",
        "OPENSHIFT_TOKEN",
        "A token of OpenShift's.",
        Shapes(&["sha256~{w:43}"]),
    ),
    Rule::secret(
        "infracost-key",
        "INFRACOST_KEY",
        "A key of Infracost's.",
        Shapes(&["ico-{a:32}"]),
    ),
    Rule::secret(
        "endorlabs-key",
        "ENDORLABS_KEY",
        "A key of Endor Labs'.",
        Shapes(&["endr+{w:16}"]),
    ),
    Rule::secret(
        "settlemint-token",
        "SETTLEMINT_TOKEN",
        "A token of SettleMint's.",
        Shapes(&["sm_aat_{a:16}", "sm_pat_{a:16}", "sm_sat_{a:16}"]),
    ),
    Rule::secret(
        "authress-key",
        "AUTHRESS_KEY",
        "A service key of Authress'.",
        Shapes(&[
            "sc_{l:5..30}.{l:4..6}.acc{w:10..34}.{t:30..120}",
            "ext_{l:5..30}.{l:4..6}.acc{w:10..34}.{t:30..120}",
            "scauth_{l:5..30}.{l:4..6}.acc{w:10..34}.{t:30..120}",
            "authress_{l:5..30}.{l:4..6}.acc{w:10..34}.{t:30..120}",
        ]),
    ),
    Rule::secret(
        "onepassword-key",
        "ONEPASSWORD_KEY",
        "The secret key of an account at 1Password.",
        Shapes(&[
            "A3-{u:6}-{u:6}-{u:5}-{u:5}-{u:5}-{u:5}",
            "A3-{u:6}-{u:11}-{u:5}-{u:5}-{u:5}",
        ]),
    ),
    Rule::secret(
        "stackhawk-key",
        "STACKHAWK_KEY",
        "A key of StackHawk's.",
        Shapes(&["hawk.{w:20}.{w:20}"]),
    ),
    Rule::secret(
        "dbt-token",
        "DBT_TOKEN",
        "A token of dbt's.",
        Shapes(&["dbtc_{w:30..}", "dbtu_{w:30..}", "dbts_{w:30..}"]),
    ),
    Rule::secret(
        "sidekiq-secret",
        "SIDEKIQ_SECRET",
        "The name and the password for Sidekiq's paid parts.",
        Named {
            names: &["contribsys__com"],
            shapes: &["{h:8}:{h:8}"],
        },
    )
    .leads(&[("com", 1)]),
    Rule::secret(
        "artifactory-key",
        "JFROG_KEY",
        "A key of JFrog's, beside its name.",
        Named {
            names: &["jfrog", "artifactory", "bintray", "xray"],
            shapes: &["{a:73}", "{a:64}"],
        },
    ),
    Rule::secret(
        "forge-token",
        "FORGE_TOKEN",
        "A token of Gitea, Forgejo, Gitter, AppVeyor, Coveralls, Sauce Labs or BrowserStack, beside its name.",
        Named {
            names: &[
                "gitea",
                "forgejo",
                "gitter",
                "appveyor",
                "coveralls",
                "saucelabs",
                "sauce_",
                "browserstack",
            ],
            shapes: &["{h:40}", "{t:40}", "{l:20}", "{a:37}", UUID, "{a:20}"],
        },
    ),
    Rule::secret(
        "lookup-key",
        "LOOKUP_KEY",
        "A key of Shodan, VirusTotal, Censys or AbuseIPDB, beside its name.",
        Named {
            names: &[
                "shodan",
                "virustotal",
                "censys",
                "abuseipdb",
                "securitytrails",
            ],
            shapes: &["{a:32}", "{h:64}", "{h:80}", UUID],
        },
    ),
];

fn terraform(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let start = anchor.start.checked_sub(14)?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=');
    let rest = value::run(stretch, anchor.end, is_part);
    let is_whole = bytes[start..anchor.start]
        .iter()
        .all(u8::is_ascii_alphanumeric)
        && start
            .checked_sub(1)
            .is_none_or(|before| !bytes[before].is_ascii_alphanumeric());
    (is_whole && (60..=80).contains(&rest.len())).then_some(start..rest.end)
}
