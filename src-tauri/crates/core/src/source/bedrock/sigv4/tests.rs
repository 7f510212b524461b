//! Against the examples that AWS publishes for Signature Version 4. What real requests sign to
//! is compared with botocore's own signer in the tests of the sources.

use super::*;

fn keys() -> AwsKeys {
    AwsKeys {
        id: "AKIDEXAMPLE".into(),
        secret: ["wJalrXUtnFEMI/", "K7MDENG+bPxRfiCY", "EXAMPLEKEY"]
            .concat()
            .into(),
        session_token: None,
    }
}

fn signature(method: &str, address: &str, headers: &[(&str, &str)], body: &[u8]) -> String {
    let url = reqwest::Url::parse(address).unwrap();
    let request = Unsigned {
        method,
        url: &url,
        headers,
        body,
    };
    let keys = keys();
    let scope = Scope {
        keys: &keys,
        region: "us-east-1",
        service: "service",
        now: "2015-08-30T12:36:00Z".parse().unwrap(),
    };
    let signed = sign(&request, &scope);
    assert_eq!(signed.date, "20150830T123600Z");
    let place = "Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=";
    assert!(signed.authorization.contains(place), "{signed:?}");
    signed.authorization.rsplit('=').next().unwrap().to_owned()
}

#[test]
fn the_published_examples() {
    const ROOT: &str = "https://example.amazonaws.com/";
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let get = |path: &str| signature("GET", &format!("{ROOT}{path}"), &[], b"");
    let vanilla = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";
    assert_eq!(get(""), vanilla);
    assert_eq!(get("/"), vanilla, "empty segments count as none");
    assert_eq!(get("./"), vanilla);
    assert_eq!(
        get("?Param2=value2&Param1=value1"),
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
    );
    assert_eq!(
        signature("POST", ROOT, &[], b""),
        "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
    );
    assert_eq!(
        signature("POST", ROOT, &form, b"Param1=value1"),
        "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
    );
}

#[test]
fn the_path_is_encoded_once_more() {
    assert_eq!(
        canonical_path("/model/a.b-v1%3A0/converse"),
        "/model/a.b-v1%253A0/converse"
    );
    assert_eq!(canonical_path("/a%2Fb/"), "/a%252Fb/");
    assert_eq!(canonical_path(""), "/");
    assert_eq!(encoded("a:b/c d~e"), "a%3Ab%2Fc%20d~e");
}

#[test]
fn a_session_token_is_signed_too() {
    let mut with_token = keys();
    with_token.session_token = Some("token".into());
    let url = reqwest::Url::parse("https://example.amazonaws.com/").unwrap();
    let request = Unsigned {
        method: "GET",
        url: &url,
        headers: &[],
        body: b"",
    };
    let scope = Scope {
        keys: &with_token,
        region: "us-east-1",
        service: "service",
        now: "2015-08-30T12:36:00Z".parse().unwrap(),
    };
    let signed = sign(&request, &scope);
    let names = "SignedHeaders=host;x-amz-date;x-amz-security-token,";
    assert!(signed.authorization.contains(names), "{signed:?}");
    assert!(!signed.authorization.contains("wJal"));
}
